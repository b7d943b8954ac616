import type { IncomingMessage } from "node:http";
import { get } from "node:http";
import type { AddressInfo } from "node:net";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { PrincipalSeats } from "@factory/runtime/platform-limits/principal-seats";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { fastify } from "fastify";
import { ConnectionSeats } from "../admission/connection-seats.js";
import type { RateLimits } from "../admission/operation-charge.js";
import { Notebook } from "../execution/notes.fixture.js";
import { graphqlEndpoint } from "../http/graphql-endpoint.js";
import { LiveOperations } from "../live-operations/live-operations.js";
import { type GatewayOptions, startGateway, type TestGateway } from "../supergraph/gateway.fixture.js";
import { graphqlSockets } from "../websocket/graphql-sockets.js";
import { GraphqlStreams } from "./graphql-streams.js";

type StreamOptions = Partial<ConstructorParameters<typeof GraphqlStreams>[0]>;

export interface StreamClient {
  readonly response: IncomingMessage;
  /** The text that was read. */
  readonly text: () => string;
  /** Resolves when the response has ended, also when it was cut. */
  readonly ended: Promise<void>;
}

export interface StreamServer {
  readonly notebook: Notebook;
  readonly gateway: TestGateway;
  readonly streams: GraphqlStreams;
  /** Makes a token invalid. */
  refuse(token: string, error: Error): void;
  /** Opens a stream by GET. Resolves when its headers have come. */
  open(query: string, token?: string): Promise<StreamClient>;
  close(): Promise<void>;
}

/** Starts `/graphql` over a notebook. A token is its principal's key in `principals`. */
export async function startStreamServer(
  principals: Record<string, Principal>,
  options: StreamOptions = {},
  gatewayOptions: GatewayOptions = {},
): Promise<StreamServer> {
  const notebook = new Notebook();
  const logger = createLogger("test", "silent");
  const free = async () => ({ exceeded: false, seconds: 0 });
  const limits: RateLimits = { spend: free, charge: () => undefined, spendAnonymous: free };
  const gateway = await startGateway(notebook, { limits, introspection: false, ...gatewayOptions });
  const refusedTokens = new Map<string, Error>();
  const verifier = {
    async verify(token: string) {
      const principal = principals[token];
      if (!principal || refusedTokens.has(token))
        throw refusedTokens.get(token) ?? new DomainError("TOKEN_INVALID", { detail: "No such token." });
      return principal;
    },
  };
  const operations = new LiveOperations({ graphs: gateway.graphs, introspection: false, limits, logger });
  const doors = { operations, verifier, limits, seats: new ConnectionSeats(), principals: new PrincipalSeats(20) };
  const streams = new GraphqlStreams({ ...doors, ...options });
  const sockets = graphqlSockets({ ...doors, logger });
  const endpoint = graphqlEndpoint({ server: gateway.server, sockets, streams, verifier, graphiql: false });
  const app = fastify();
  app.get("/graphql", (request, reply) => endpoint.handle(request, reply));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return {
    ...{ notebook, gateway, streams },
    refuse: (token, error) => void refusedTokens.set(token, error),
    open: (query, token = "good") =>
      open(`http://127.0.0.1:${port}/graphql?${new URLSearchParams({ query }).toString()}`, token),
    async close() {
      await streams.close();
      app.server.closeAllConnections();
      await app.close();
      await gateway.close();
    },
  };
}

function open(url: string, token: string): Promise<StreamClient> {
  const headers = { accept: "text/event-stream", ...(token === "" ? {} : { authorization: `Bearer ${token}` }) };
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", () => undefined);
      const ended = new Promise<void>((settle) => response.once("close", settle));
      resolve({ response, text: () => text, ended });
    });
    request.on("error", reject);
  });
}
