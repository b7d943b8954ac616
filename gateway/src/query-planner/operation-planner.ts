import { operationFromDocument, type Schema, Supergraph } from "@apollo/federation-internals";
import { type QueryPlan, QueryPlanner, type QueryPlannerConfig } from "@apollo/query-planner";
import { type DocumentNode, type GraphQLSchema, parse } from "graphql";
import { withInputs } from "../requirements/input-fetches.js";
import { type RequiredInputs, resolvableKeysFirst, separateInputs } from "../requirements/required-inputs.js";
import type { AskedOperation, AskedSchema } from "./asked-operation.js";
import { conditionKey, conditionValues, isSpecialised, withoutConditions } from "./conditions.js";
import type { Fields } from "./own-property.js";
import { fieldNames } from "./planning-names.js";

/** The plans of one operation. */
export interface OperationPlans {
  readonly general: QueryPlan;
  /** Returns the plan for one combination of @skip and @include values. Undefined if the general plan must serve it. */
  readonly specialised: (values: Readonly<Fields>) => QueryPlan | undefined;
}

/** Plans as plain data that one thread sends to another. */
export interface PlanData {
  readonly general: QueryPlan;
  readonly specialised: Readonly<Record<string, QueryPlan>>;
}

/** The planner and the schema that Apollo's gateway built when it loaded a supergraph. */
export interface LoadedSupergraph {
  readonly planner: QueryPlanner;
  readonly apiSchema: GraphQLSchema;
}

/**
 * The settings of the planner that this package takes over from Apollo's gateway. Named fragments are not reused,
 * because fragments shorten the subgraph operations but slow down the planning.
 */
export const queryPlannerConfig: QueryPlannerConfig = { reuseQueryFragments: false };

/** Plans operations with Apollo's planner. No other class calls that planner. */
export class OperationPlanner implements AskedSchema {
  /** The schema that clients see. */
  readonly apiSchema: GraphQLSchema;
  /** The schema with inaccessible elements. */
  readonly supergraphSchema: GraphQLSchema;
  readonly fieldNames: ReadonlySet<string>;
  readonly inputFields: ReadonlyMap<string, string>;
  readonly subgraphNames: readonly string[];
  readonly #inputs: RequiredInputs;
  readonly #planningSchema: Schema;
  readonly #supergraph: Supergraph;
  #planner: QueryPlanner | undefined;

  /**
   * Throws when the supergraph is invalid. The planner is built for the first plan, unless the gateway already built a
   * planner from the same supergraph.
   */
  constructor(supergraphSdl: string, loaded?: LoadedSupergraph) {
    const given = parse(supergraphSdl, { noLocation: true });
    const { document, inputs } = separateInputs(resolvableKeysFirst(given));
    const adopted = document === given ? loaded : undefined;
    const supergraph = adopted?.planner.supergraph ?? Supergraph.build(document);
    this.#inputs = inputs;
    this.inputFields = new Map([...inputs.byName].map(([name, { field }]) => [name, field]));
    this.subgraphNames = [...supergraph.subgraphsMetadata()].map(({ name }) => name);
    this.#planningSchema = supergraph.apiSchema();
    const shown = inputs.byName.size > 0 ? Supergraph.build(supergraphSdl).apiSchema() : this.#planningSchema;
    this.apiSchema = loaded?.apiSchema ?? shown.toGraphQLJSSchema();
    this.supergraphSchema = supergraph.schema.toGraphQLJSSchema();
    this.fieldNames = fieldNames(this.supergraphSchema);
    this.#supergraph = supergraph;
    this.#planner = adopted?.planner;
  }

  /** Plans the operation now, and each combination of conditions when `specialised` asks for it. */
  plans({ planned, operation }: AskedOperation): OperationPlans {
    const name = operation.name?.value;
    return {
      general: this.#plan(planned, name),
      specialised: (values) => {
        try {
          return this.#plan(withoutConditions(planned, values), name);
        } catch {
          // The general plan serves every combination.
          return undefined;
        }
      },
    };
  }

  /** Plans every combination in advance. */
  allPlans(asked: AskedOperation): PlanData {
    const { general, specialised } = this.plans(asked);
    const combinations = isSpecialised(asked.conditions) ? conditionValues(asked.conditions) : [];
    const plans = combinations.flatMap((values) => {
      const plan = specialised(values);
      return plan ? [[conditionKey(asked.conditions, values), plan] as const] : [];
    });
    return { general, specialised: Object.fromEntries(plans) };
  }

  #plan(document: DocumentNode, operationName: string | undefined): QueryPlan {
    const options = operationName === undefined ? {} : { operationName };
    const operation = operationFromDocument(this.#planningSchema, document, options);
    this.#planner ??= new QueryPlanner(this.#supergraph, queryPlannerConfig);
    return withInputs(this.#planner.buildQueryPlan(operation), this.#inputs);
  }
}

/** Converts the plan data of another thread into plans. */
export function receivedPlans({ general, specialised }: PlanData, conditions: readonly string[]): OperationPlans {
  return { general, specialised: (values) => specialised[conditionKey(conditions, values)] };
}
