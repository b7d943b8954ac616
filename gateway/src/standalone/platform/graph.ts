import { type RateLimits, rateLimits } from "@factory/rest-facade/rate-limits";
import type { FacadePorts } from "@factory/rest-facade/server";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { AdHocOperations } from "../../ad-hoc-documents/ad-hoc-operations.js";
import { SupergraphExecutor } from "../../execution/supergraph-executor.js";
import { graphqlEndpoint } from "../../http/graphql-endpoint.js";
import { startGraphqlServer } from "../../http/graphql-server.js";
import { localSubgraph } from "../../subgraphs/local-subgraph.js";
import { readSupergraph } from "../../supergraph/committed-supergraph.js";
import { prepareOperation } from "../../supergraph/prepared-operation.js";
import { graphqlSockets } from "../../websocket/graphql-sockets.js";
import type { Start } from "./foundation.js";
import type { Subgraphs } from "./subgraphs.js";

/** The federated graph as the facade serves it: documents of REST routes, `/graphql`, and its websockets. */
export interface Graph extends Pick<FacadePorts, "supergraphSdl" | "prepare" | "graphql"> {
  readonly limits: RateLimits;
  /** Closes the open websockets. */
  readonly closeSockets: () => Promise<void>;
}

/** The gateway over the three subgraphs of this process. */
export async function startGraph({ environment, logger, parts }: Start, subgraphs: Subgraphs): Promise<Graph> {
  const { catalog, integration, spine, verifier, onRevoked } = subgraphs;
  const supergraphSdl = await readSupergraph();
  const executor = SupergraphExecutor.fromSdl<RequestContext>(supergraphSdl, [
    localSubgraph("catalog", catalog.schema),
    localSubgraph("integration", integration.schema),
    localSubgraph("spine", spine.schema),
  ]);
  const limits = rateLimits(environment.rateLimitFactor);
  const introspection = environment.development;
  const operations = new AdHocOperations({ executor, supergraphSdl, introspection, limits, logger });
  parts.add("planning thread", () => operations.close());
  const server = await startGraphqlServer({
    operations,
    coreSupergraphSdl: supergraphSdl,
    introspection,
    limits,
    logger,
  });
  parts.add("GraphQL server", () => server.stop());
  const sockets = graphqlSockets({ operations, verifier, introspection, limits, logger });
  onRevoked((revocation) => sockets.revoked(revocation));
  return {
    supergraphSdl,
    limits,
    prepare: (document, operationName) => prepareOperation(executor, document, operationName),
    graphql: graphqlEndpoint({ server, sockets, verifier, graphiql: environment.development }),
    closeSockets: () => sockets.close(),
  };
}
