import { operationFromDocument, type Schema, Supergraph } from "@apollo/federation-internals";
import { type QueryPlan, QueryPlanner, type QueryPlannerConfig } from "@apollo/query-planner";
import { type DocumentNode, type GraphQLSchema, parse, printSchema } from "graphql";
import { withInputs } from "../requirements/input-fetches.js";
import { type RequiredInputs, resolvableKeysFirst, separateInputs } from "../requirements/required-inputs.js";
import type { AskedOperation } from "./asked-operation.js";
import { conditionKey, conditionValues, isSpecialised, withoutConditions } from "./conditions.js";
import type { OperationPlans, PlanData, Planner } from "./planner.js";
import { fieldNames } from "./planning-names.js";
import type { PreparedSchema } from "./prepared-planner.js";

/** The planner and the schema that Apollo's gateway built when it loaded a supergraph. */
export interface LoadedSupergraph {
  readonly planner: QueryPlanner;
  readonly apiSchema: GraphQLSchema;
}

/**
 * The planner settings that this package takes over from Apollo's gateway. Named fragments are not reused, because
 * fragments shorten the subgraph operations but slow down the planning.
 */
export const queryPlannerConfig: QueryPlannerConfig = { reuseQueryFragments: false };

/** Plans operations with Apollo's planner. No other class calls that planner. */
export class OperationPlanner implements Planner {
  readonly apiSchema: GraphQLSchema;
  readonly supergraphSchema: GraphQLSchema;
  readonly fieldNames: ReadonlySet<string>;
  readonly inputFields: ReadonlyMap<string, string>;
  readonly subgraphNames: readonly string[];
  readonly #planning: Planning;

  /**
   * Throws when the supergraph is invalid. The planner is built for the first plan, unless the gateway already built a
   * planner from the same supergraph.
   */
  constructor(supergraphSdl: string, loadedSupergraph?: LoadedSupergraph) {
    this.#planning = planningOf(supergraphSdl, loadedSupergraph);
    const { inputs, schema, supergraph } = this.#planning;
    this.inputFields = new Map([...inputs.byName].map(([name, { field }]) => [name, field]));
    this.subgraphNames = [...supergraph.subgraphsMetadata()].map(({ name }) => name);
    const clientSchema = inputs.byName.size > 0 ? Supergraph.build(supergraphSdl).apiSchema() : schema;
    this.apiSchema = loadedSupergraph?.apiSchema ?? clientSchema.toGraphQLJSSchema();
    this.supergraphSchema = supergraph.schema.toGraphQLJSSchema();
    this.fieldNames = fieldNames(this.supergraphSchema);
  }

  /** The part that a later process can start with, undefined when the supergraph has `@requires` inputs. */
  get prepared(): PreparedSchema | undefined {
    if (this.inputFields.size > 0) return undefined;
    return { apiSdl: printSchema(this.apiSchema), subgraphNames: this.subgraphNames };
  }

  /** Plans the operation now, and each condition combination when `specialised` asks for it. */
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
  allPlans(request: AskedOperation): PlanData {
    const { general, specialised } = this.plans(request);
    const combinations = isSpecialised(request.conditions) ? conditionValues(request.conditions) : [];
    const plans = combinations.flatMap((values) => {
      const plan = specialised(values);
      return plan ? [[conditionKey(request.conditions, values), plan] as const] : [];
    });
    return { general, specialised: Object.fromEntries(plans) };
  }

  #plan(document: DocumentNode, operationName: string | undefined): QueryPlan {
    const options = operationName === undefined ? {} : { operationName };
    const planning = this.#planning;
    const operation = operationFromDocument(planning.schema, document, options);
    planning.planner ??= new QueryPlanner(planning.supergraph, queryPlannerConfig);
    return withInputs(planning.planner.buildQueryPlan(operation), planning.inputs);
  }
}

/** The schema that is planned over, the inputs that were separated from it, and the planner after its first plan. */
interface Planning {
  readonly inputs: RequiredInputs;
  readonly schema: Schema;
  readonly supergraph: Supergraph;
  planner: QueryPlanner | undefined;
}

function planningOf(supergraphSdl: string, loadedSupergraph?: LoadedSupergraph): Planning {
  const givenDocument = parse(supergraphSdl, { noLocation: true });
  const { document, inputs } = separateInputs(resolvableKeysFirst(givenDocument));
  const adoptedSupergraph = document === givenDocument ? loadedSupergraph : undefined;
  const supergraph = adoptedSupergraph?.planner.supergraph ?? Supergraph.build(document);
  return { inputs, schema: supergraph.apiSchema(), supergraph, planner: adoptedSupergraph?.planner };
}
