import type { GraphQLDataSource } from "@apollo/gateway";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Subgraph } from "../subgraphs/subgraph.js";

type Options = Parameters<GraphQLDataSource["process"]>[0];

/** A connected subgraph for Apollo's gateway. The compiled executor uses `subgraph` directly instead of `process`. */
export class SubgraphDataSource implements GraphQLDataSource {
  readonly subgraph: Subgraph<RequestContext>;

  constructor(subgraph: Subgraph<RequestContext>) {
    this.subgraph = subgraph;
  }

  /** Runs the gateway's own document: its health check, or its query for the subgraph's SDL. */
  async process({ request, context }: Options): ReturnType<GraphQLDataSource["process"]> {
    const operation = this.subgraph.prepare(request.query ?? "", request.operationName);
    return operation.run(request.variables ?? {}, context as RequestContext) as ReturnType<
      GraphQLDataSource["process"]
    >;
  }
}
