import type { QueryPlan } from "@apollo/query-planner";
import { type DocumentNode, GraphQLError, type GraphQLSchema, getVariableValues } from "graphql";
import { type AskedOperation, askedOperation } from "../query-planner/asked-operation.js";
import { isSpecialised } from "../query-planner/conditions.js";
import { type OperationPlans, type PlanData, type Planner, receivedPlans } from "../query-planner/planner.js";
import type { Subgraph } from "../subgraphs/subgraph.js";
import { type CompiledOperation, compileOperation } from "./compiled-operation.js";
import { conditionalOperation } from "./conditional-operation.js";
import { ownVariables } from "./own-variables.js";

/** Compiles operations over the connected subgraphs. The caller caches the compiled operations. */
export class SupergraphExecutor<C> {
  /** The schema that clients see. */
  readonly apiSchema: GraphQLSchema;
  /** The schema with inaccessible elements. */
  readonly supergraphSchema: GraphQLSchema;
  readonly #planner: Planner;
  readonly #subgraphs: ReadonlyMap<string, Subgraph<C>>;

  /** Throws when the supergraph names a subgraph that is not in `subgraphs`. */
  constructor(planner: Planner, subgraphs: readonly Subgraph<C>[]) {
    this.#subgraphs = new Map(subgraphs.map((subgraph) => [subgraph.name, subgraph]));
    for (const name of planner.subgraphNames) {
      if (!this.#subgraphs.has(name)) {
        throw new Error(`The supergraph names the subgraph "${name}", which is not connected.`);
      }
    }
    this.#planner = planner;
    this.apiSchema = planner.apiSchema;
    this.supergraphSchema = planner.supergraphSchema;
  }

  /**
   * Plans a trusted document in this thread, without limits. The document must be valid for `apiSchema`. Throws a
   * GraphQLError when the operation does not exist or cannot be planned.
   */
  compile(document: DocumentNode, operationName?: string): CompiledOperation<C> {
    const request = askedOperation(this.#planner, document, operationName);
    return readably(() => this.#compile(request, this.#planner.plans(request)));
  }

  /** Compiles an operation with plans from another thread, in time linear in the document's and the plans' size. */
  compilePlanned(document: DocumentNode, operationName: string | undefined, plans: PlanData): CompiledOperation<C> {
    const request = askedOperation(this.#planner, document, operationName);
    return readably(() => this.#compile(request, receivedPlans(plans, request.conditions)));
  }

  #compile(request: AskedOperation, plans: OperationPlans): CompiledOperation<C> {
    const { operation, conditions } = request;
    const compile = (plan: QueryPlan): CompiledOperation<C> =>
      compileOperation({
        ...request,
        schema: this.apiSchema,
        supergraphSchema: this.supergraphSchema,
        subgraphs: this.#subgraphs,
        plan,
      });
    const general = compile(plans.general);
    if (!isSpecialised(conditions)) {
      return general;
    }
    const definitions = operation.variableDefinitions ?? [];
    const toOwnVariables = ownVariables(this.apiSchema, definitions);
    return conditionalOperation(general, {
      conditions,
      coerce: (variables) => getVariableValues(this.apiSchema, definitions, toOwnVariables(variables ?? {})).coerced,
      compile: (values) => {
        const plan = plans.specialised(values);
        return plan && compile(plan);
      },
    });
  }
}

function readably<T>(compile: () => T): T {
  try {
    return compile();
  } catch (reason) {
    if (reason instanceof GraphQLError) {
      throw reason;
    }
    const originalError = reason instanceof Error ? reason : new Error(String(reason));
    throw new GraphQLError(`The operation cannot be planned: ${originalError.message}`, { originalError });
  }
}
