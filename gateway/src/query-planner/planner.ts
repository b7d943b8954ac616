import type { QueryPlan } from "@apollo/query-planner";
import type { GraphQLSchema } from "graphql";
import type { AskedOperation, AskedSchema } from "./asked-operation.js";
import { conditionKey } from "./conditions.js";
import type { Fields } from "./own-property.js";

/** One operation's plans. */
export interface OperationPlans {
  readonly general: QueryPlan;
  /** Returns the plan for one combination of @skip and @include values. Undefined if the general plan must serve it. */
  readonly specialised: (values: Readonly<Fields>) => QueryPlan | undefined;
}

/** Plans as plain data that one thread sends to another, or that a build stores. */
export interface PlanData {
  readonly general: QueryPlan;
  readonly specialised: Readonly<Record<string, QueryPlan>>;
}

/** A supergraph's schemas, and plans over them. */
export interface Planner extends AskedSchema {
  /** The schema with inaccessible elements. */
  readonly supergraphSchema: GraphQLSchema;
  readonly subgraphNames: readonly string[];
  plans(request: AskedOperation): OperationPlans;
}

/** Converts stored plan data into plans. */
export function receivedPlans({ general, specialised }: PlanData, conditions: readonly string[]): OperationPlans {
  return { general, specialised: (values) => specialised[conditionKey(conditions, values)] };
}
