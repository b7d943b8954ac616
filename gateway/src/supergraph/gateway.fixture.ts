import { createLogger } from "@factory/runtime/telemetry/logger";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { GraphQLSchema } from "graphql";
import { ensureCompiledWorker } from "../ad-hoc-documents/compiled-worker.fixture.js";
import type { RateLimits } from "../admission/operation-charge.js";
import { type GraphqlServer, startGraphqlServer } from "../http/graphql-server.js";
import { localSubgraph } from "../subgraphs/local-subgraph.js";
import { CompiledGateway } from "./compiled-gateway.js";
import { judgeSupergraph } from "./judge-supergraph.js";
import { ReplaceableSupergraph } from "./replaceable-supergraph.js";
import type { ServingGraphs } from "./serving-graphs.js";
import type { SupergraphCheck } from "./supergraph-check.js";

export interface TestGateway {
  readonly supergraph: ReplaceableSupergraph;
  readonly graphs: ServingGraphs;
  readonly gateway: CompiledGateway;
  readonly server: GraphqlServer;
  readonly limits: RateLimits;
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly limits?: RateLimits;
  readonly introspection?: boolean;
  readonly subscriptionsEndMs?: number;
}

const noLimits: RateLimits = {
  spend: async () => ({ exceeded: false, seconds: 0 }),
  charge: () => undefined,
  spendAnonymous: async () => ({ exceeded: false, seconds: 0 }),
};

/** Starts Apollo Server over the compiled gateway, with subgraphs in this process. */
export async function startGateway(
  { supergraphSdl, schemas }: { supergraphSdl: string; schemas: ReadonlyMap<string, GraphQLSchema> },
  { limits = noLimits, introspection = true, ...replacing }: GatewayOptions = {},
): Promise<TestGateway> {
  ensureCompiledWorker();
  const logger = createLogger("test", "silent");
  const subgraphs = [...schemas].map(([name, schema]) => localSubgraph<RequestContext>(name, schema));
  const options = { subgraphs, introspection, limits, logger };
  // The check runs in this thread, because a new thread takes about a second for each candidate.
  const check = async (candidate: SupergraphCheck) => judgeSupergraph(candidate);
  const supergraph = new ReplaceableSupergraph({ reviewedSdl: supergraphSdl }, options, { check, ...replacing });
  const gateway = new CompiledGateway(supergraph, options);
  const { graphs } = supergraph;
  const server = await startGraphqlServer({ gateway, graphs, introspection, limits, logger });
  return {
    ...{ supergraph, graphs, gateway, server, limits },
    async close() {
      await supergraph.close();
      await server.stop();
    },
  };
}
