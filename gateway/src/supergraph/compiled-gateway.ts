import { ApolloGateway } from "@apollo/gateway";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { toGraphqlError } from "@factory/runtime/graphql/graphql-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { ExecutionResult, GraphQLSchema } from "graphql";
import { chargeWork, operationFields, type RateLimits, refusedByRate } from "../admission/operation-charge.js";
import { deadlineOf, runInTime } from "../admission/operation-deadline.js";
import { withoutSchemaDetails } from "../public-errors/schema-names.js";
import { OperationPlanner, queryPlannerConfig } from "../query-planner/operation-planner.js";
import { disableApolloTelemetry } from "./environment.js";
import type { Graph, GraphOptions } from "./graph.js";
import type { ReplaceableSupergraph } from "./replaceable-supergraph.js";
import { SubgraphDataSource } from "./subgraph-data-source.js";

type Loaded = Awaited<ReturnType<ApolloGateway["load"]>>;
type Execute = Loaded["executor"];
type GatewayRequest = Parameters<Execute>[0];

/**
 * Apollo's gateway with the compiled executor instead of its own executor. Apollo's code loads and replaces the
 * supergraph and builds the planner. The executor finds a request's graph by the schema with which the request began.
 */
export class CompiledGateway extends ApolloGateway {
  readonly #supergraph: ReplaceableSupergraph;
  readonly #options: GraphOptions;

  constructor(supergraph: ReplaceableSupergraph, options: GraphOptions) {
    const sources = new Map(options.subgraphs.map((subgraph) => [subgraph.name, new SubgraphDataSource(subgraph)]));
    disableApolloTelemetry();
    super({
      supergraphSdl: supergraph,
      // The supergraph is already checked.
      validateSupergraph: false,
      queryPlannerConfig,
      logger: options.logger,
      buildService({ name }) {
        const source = sources.get(name);
        if (!source) throw new Error(`The supergraph names the subgraph "${name}", which is not connected.`);
        return source;
      },
    });
    this.#supergraph = supergraph;
    this.#options = options;
    // This listener must be the first, so that no request meets a schema without a graph.
    this.onSchemaLoadOrUpdate(({ apiSchema }) => supergraph.link(apiSchema));
  }

  override async load(options?: Parameters<ApolloGateway["load"]>[0]): Promise<Loaded> {
    const { schema } = await super.load(options);
    const { queryPlanner: planner, supergraphSdl } = this.__testing();
    if (!planner || supergraphSdl === undefined) throw new Error("Apollo's gateway has loaded no supergraph.");
    this.#supergraph.begin(
      supergraphSdl,
      schema,
      () => new OperationPlanner(supergraphSdl, { planner, apiSchema: schema }),
    );
    return { schema, executor: (request) => this.execute(request) as ReturnType<Execute> };
  }

  /** Answers a request with the graph that belongs to its schema. */
  async execute(request: GatewayRequest): Promise<ExecutionResult> {
    const graph = this.#supergraph.graphs.of(request.schema as GraphQLSchema);
    const caller = request.context as RequestContext;
    if (!graph) return { errors: [toGraphqlError(graphEnded(), caller)] };
    graph.enter();
    try {
      return await run(graph, request, this.#options);
    } finally {
      graph.leave();
    }
  }
}

/** Reads the document with the request's graph, charges the operation to the rate limits and runs it. */
async function run(
  graph: Graph,
  { document, source, request, context, operation }: GatewayRequest,
  { limits, introspection }: { limits: RateLimits; introspection: boolean },
): Promise<ExecutionResult> {
  const caller = context as RequestContext;
  const { operationName, variables = {} } = request;
  const readOperation = await graph.operations.read({ text: source, document, operationName, variables }, caller);
  if ("errors" in readOperation) return { errors: readOperation.errors };
  const checkedOperation = { document, operation };
  const refusal =
    graph.refusedWithoutToken(checkedOperation, caller) ?? (await refusedByRate(limits, checkedOperation, caller));
  if (refusal) return { errors: [refusal] };
  const deadlineMs = deadlineOf(operationFields(checkedOperation));
  graph.enter();
  const onEnd = () => graph.leave();
  const result = await runInTime(readOperation.operation, { variables, context: caller, deadlineMs, onEnd });
  chargeWork(limits, checkedOperation, caller);
  const extensions = introspection ? undefined : withoutSchemaDetails(result.extensions);
  return extensions ? { ...result, extensions } : result;
}

const graphEnded = () =>
  new DomainError("UNAVAILABLE", { detail: "The graph of this request was replaced. Send the request again." });
