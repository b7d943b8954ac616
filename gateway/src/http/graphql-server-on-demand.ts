import type { GraphqlServer } from "./graphql-server.js";

/** A GraphQL server that starts with its first request. A start that fails is tried again by the next request. */
export class GraphqlServerOnDemand implements GraphqlServer {
  readonly #startServer: () => Promise<GraphqlServer>;
  #server: Promise<GraphqlServer> | undefined;

  constructor(startServer: () => Promise<GraphqlServer>) {
    this.#startServer = startServer;
  }

  start(): Promise<GraphqlServer> {
    this.#server ??= this.#startServer().catch((error: unknown) => {
      this.#server = undefined;
      throw error;
    });
    return this.#server;
  }

  readonly execute: GraphqlServer["execute"] = async (...request) => (await this.start()).execute(...request);

  async stop(): Promise<void> {
    // a start that fails leaves nothing to stop
    const server = await this.#server?.catch(() => undefined);
    await server?.stop();
  }
}
