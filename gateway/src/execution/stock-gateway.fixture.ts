import type { ExecutionResult } from "graphql";
import { type DocumentNode, print } from "graphql";
import type { Shop } from "./shop.fixture.js";

export type StockExecutor = (
  document: DocumentNode,
  variables: Record<string, unknown> | undefined,
) => Promise<ExecutionResult>;

/** Apollo's own gateway over the same subgraphs, for comparison. Set APOLLO_TELEMETRY_DISABLED before the call. */
export async function openStockGateway(shop: Shop): Promise<{ execute: StockExecutor; stop: () => Promise<void> }> {
  const { ApolloGateway, LocalGraphQLDataSource } = await import("@apollo/gateway");
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const gateway = new ApolloGateway({
    supergraphSdl: shop.supergraphSdl,
    logger: silent,
    buildService: ({ name }) => {
      const schema = shop.schemas.get(name);
      if (!schema) {
        throw new Error(`No subgraph ${name}`);
      }
      return new LocalGraphQLDataSource(schema);
    },
  });
  const { executor } = await gateway.load();
  if (!executor) {
    throw new Error("The gateway has no executor");
  }
  return {
    execute: async (document, variables) =>
      (await executor({
        request: { query: print(document), variables },
        document,
        queryHash: print(document),
        context: {},
        metrics: {},
        logger: silent,
        cache: new Map(),
        schema: undefined,
        overallCachePolicy: {},
        operationName: null,
      } as never)) as ExecutionResult,
    stop: () => gateway.stop(),
  };
}
