import { tenantFactor } from "@factory/gateway/admission/tenant-factor";
import { graphqlEndpoint } from "@factory/gateway/http/graphql-endpoint";
import { GraphqlServerOnDemand } from "@factory/gateway/http/graphql-server-on-demand";
import { localSubgraph } from "@factory/gateway/subgraphs/local-subgraph";
import { readCommittedSupergraph } from "@factory/gateway/supergraph/committed-supergraph";
import { ReplaceableSupergraph } from "@factory/gateway/supergraph/replaceable-supergraph";
import { SupergraphFile } from "@factory/gateway/supergraph/supergraph-file";
import { type GraphqlSockets, graphqlSockets } from "@factory/gateway/websocket/graphql-sockets";
import { type RateLimits, rateLimits } from "@factory/rest-facade/rate-limits";
import type { FacadePorts } from "@factory/rest-facade/server";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { supergraphMetrics } from "../monitoring/supergraph-metrics.js";
import type { Foundation, Start } from "./foundation.js";
import type { Subgraphs } from "./subgraphs.js";

/** The federated graph for the facade: the REST routes' documents, `/graphql`, and its websockets. */
export interface Graph extends Pick<FacadePorts, "useGraph" | "graphql"> {
  readonly limits: RateLimits;
  readonly openSockets: () => GraphqlSockets["open"];
  /** Closes the open websockets. */
  readonly closeSockets: () => Promise<void>;
}

/** Starts the gateway over this process's three subgraphs. */
export async function startGraph(
  { environment, logger, registry, parts, prepared, pageFiles }: Start,
  { catalog, integration, spine, verifier, onRevoked }: Subgraphs,
  { refusals, limits: sharedLimits }: Pick<Foundation, "refusals" | "limits">,
): Promise<Graph> {
  const limits = rateLimits(environment.rateLimitFactor, tenantFactor(catalog.get(TenantFacts)), sharedLimits.budgets);
  const introspection = environment.development;
  const subgraphs = [
    localSubgraph<RequestContext>("catalog", catalog.schema),
    localSubgraph<RequestContext>("integration", integration.schema),
    localSubgraph<RequestContext>("spine", spine.schema),
  ];
  const options = { subgraphs, introspection, limits, logger };
  const file = environment.supergraphFile === undefined ? undefined : new SupergraphFile(environment.supergraphFile);
  const initial = file ? await file.read() : { reviewedSdl: await readCommittedSupergraph() };
  const supergraph = new ReplaceableSupergraph(initial, options);
  const { graphs } = supergraph;
  const server = new GraphqlServerOnDemand(async () => {
    const [{ startGraphqlServer }, { CompiledGateway }] = await apolloModules();
    const gateway = new CompiledGateway(supergraph, options);
    return startGraphqlServer({ gateway, graphs, introspection, limits, refusals, logger });
  });
  // Loading Apollo's gateway takes a third of a start. Requests to routes and websockets do not need it.
  if (prepared?.supergraph && !file) supergraph.beginPrepared(prepared.supergraph);
  else await server.start();
  parts.add("GraphQL server", () => server.stop());
  parts.add("supergraph", () => supergraph.close());
  supergraphMetrics(registry, supergraph);
  if (file) {
    const unfollow = follow(file, supergraph, logger);
    parts.add("supergraph file", async () => unfollow());
  }
  const sockets = graphqlSockets({
    ...{ graphs, verifier, introspection, limits, refusals, logger },
    principals: sharedLimits.sockets,
  });
  onRevoked((revocation) => sockets.revoked(revocation));
  return {
    limits,
    useGraph: (compile) =>
      supergraph.use((graph) =>
        compile({
          supergraphSdl: graph.supergraphSdl,
          prepare: (document, operationName) => graph.prepare(document, operationName),
        }),
      ),
    graphql: graphqlEndpoint({ server, sockets, verifier, graphiql: environment.development, pageFiles }),
    openSockets: () => sockets.open,
    closeSockets: () => sockets.close(),
  };
}

const apolloModules = () =>
  Promise.all([import("@factory/gateway/http/graphql-server"), import("@factory/gateway/supergraph/compiled-gateway")]);

/**
 * Reads the supergraph file again after a change and on SIGHUP, and replaces the supergraph. Returns a function that
 * stops this.
 */
function follow(file: SupergraphFile, supergraph: ReplaceableSupergraph, logger: Logger): () => void {
  const reread = () => {
    file
      .read()
      .then((candidate) => supergraph.replace(candidate))
      .catch((error: unknown) => logger.warn({ err: error }, "the supergraph file could not be read"));
  };
  const unwatch = file.watch(reread);
  process.on("SIGHUP", reread);
  return () => {
    unwatch();
    process.off("SIGHUP", reread);
  };
}
