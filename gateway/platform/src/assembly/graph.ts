import { ConnectionSeats } from "@factory/gateway/admission/connection-seats";
import { tenantFactor } from "@factory/gateway/admission/tenant-factor";
import { GraphqlStreams } from "@factory/gateway/event-streams/graphql-streams";
import { graphqlEndpoint } from "@factory/gateway/http/graphql-endpoint";
import { GraphqlServerOnDemand } from "@factory/gateway/http/graphql-server-on-demand";
import { LiveOperations } from "@factory/gateway/live-operations/live-operations";
import { PersistedDocuments } from "@factory/gateway/persisted-documents/persisted-documents";
import { localSubgraph } from "@factory/gateway/subgraphs/local-subgraph";
import { readCommittedSupergraph } from "@factory/gateway/supergraph/committed-supergraph";
import { ReplaceableSupergraph } from "@factory/gateway/supergraph/replaceable-supergraph";
import { SupergraphFile } from "@factory/gateway/supergraph/supergraph-file";
import { graphqlSockets } from "@factory/gateway/websocket/graphql-sockets";
import { type RateLimits, rateLimits } from "@factory/rest-facade/rate-limits";
import type { FacadePorts } from "@factory/rest-facade/server";
import { EnvironmentError } from "@factory/runtime/environment/read-environment";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import type { OpenSockets } from "../monitoring/resource-metrics.js";
import { supergraphMetrics } from "../monitoring/supergraph-metrics.js";
import type { PlatformEnvironment } from "../settings/environment.js";
import { persistedProblem } from "../start-checks/persisted-file.js";
import type { Foundation, Start } from "./foundation.js";
import type { Subgraphs } from "./subgraphs.js";

/** The federated graph for the facade: the REST routes' documents, `/graphql`, its websockets and its event streams. */
export interface Graph extends Pick<FacadePorts, "useGraph" | "graphql"> {
  readonly limits: RateLimits;
  readonly openSockets: () => OpenSockets;
  /** Closes the open websockets and event streams. */
  readonly closeSockets: () => Promise<void>;
}

/** Starts the gateway over this process's three subgraphs. */
export async function startGraph(
  { environment, logger, registry, parts, prepared, pageFiles }: Start,
  { catalog, integration, spine, verifier, onRevoked }: Subgraphs,
  { refusals, limits: sharedLimits }: Pick<Foundation, "refusals" | "limits">,
): Promise<Graph> {
  const limits = rateLimits(environment.rateLimitFactor, tenantFactor(catalog.get(TenantFacts)), sharedLimits.budgets);
  const persisted = await readPersisted(environment.persistedDocuments);
  const introspection = environment.development && !persisted.only;
  const subgraphs = [
    localSubgraph<RequestContext>("catalog", catalog.schema),
    localSubgraph<RequestContext>("integration", integration.schema),
    localSubgraph<RequestContext>("spine", spine.schema),
  ];
  const options = { subgraphs, introspection, limits, persisted, logger };
  const file = environment.supergraphFile === undefined ? undefined : new SupergraphFile(environment.supergraphFile);
  const initial = file ? await file.read() : { reviewedSdl: await readCommittedSupergraph() };
  const supergraph = new ReplaceableSupergraph(initial, options);
  const { graphs } = supergraph;
  const server = new GraphqlServerOnDemand(async () => {
    const [{ startGraphqlServer }, { CompiledGateway }] = await apolloModules();
    const gateway = new CompiledGateway(supergraph, options);
    return startGraphqlServer({ gateway, graphs, introspection, limits, refusals, persisted, logger });
  });
  // Loading Apollo's gateway takes a third of a start. Requests to routes and websockets do not need it.
  if (prepared?.supergraph && !file) supergraph.beginPrepared(prepared.supergraph);
  else await server.start();
  parts.add("GraphQL server", () => server.stop());
  parts.add("supergraph", () => supergraph.close());
  await naming(environment.persistedDocuments, persisted.requireFit(graphs.current.apiSchema, introspection));
  supergraphMetrics(registry, supergraph);
  if (file) {
    const unfollow = follow(file, supergraph, logger);
    parts.add("supergraph file", async () => unfollow());
  }
  const operations = new LiveOperations({ graphs, persisted, introspection, limits, refusals, logger });
  const seats = new ConnectionSeats();
  const doors = { operations, verifier, limits, seats, principals: sharedLimits.sockets };
  const sockets = graphqlSockets({ ...doors, refusals, logger });
  const streams = new GraphqlStreams(doors);
  onRevoked((revocation) => {
    sockets.revoked(revocation);
    streams.revoked(revocation);
  });
  return {
    limits,
    useGraph: (compile) =>
      supergraph.use((graph) =>
        compile({
          schema: graph.supergraphSchema,
          prepare: (document, operationName) => graph.prepare(document, operationName),
        }),
      ),
    graphql: graphqlEndpoint({
      server,
      sockets,
      streams,
      verifier,
      graphiql: environment.development && !persisted.only,
      pageFiles,
    }),
    openSockets: () => ({ ...sockets.open, eventStreams: streams.open }),
    closeSockets: async () => void (await Promise.all([sockets.close(), streams.close()])),
  };
}

type PersistedSetting = PlatformEnvironment["persistedDocuments"];

async function readPersisted(setting: PersistedSetting): Promise<PersistedDocuments> {
  if (!setting) return new PersistedDocuments();
  return naming(setting, PersistedDocuments.read(setting.file, setting.only));
}

/** Names the operator's file in an error about its documents. */
async function naming<T>(setting: PersistedSetting, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw setting ? new EnvironmentError(persistedProblem(setting, error)) : error;
  });
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
