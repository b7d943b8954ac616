import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Principal } from "@factory/runtime/auth/principal";
import { createLogger } from "@factory/runtime/telemetry/logger";
import WebSocket from "ws";
import type { RateLimits } from "../admission/operation-charge.js";
import { Notebook } from "../execution/notes.fixture.js";
import { LiveOperations } from "../live-operations/live-operations.js";
import { type GatewayOptions, startGateway, type TestGateway } from "../supergraph/gateway.fixture.js";
import { type GraphqlSockets, graphqlSockets } from "./graphql-sockets.js";

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

export interface Client {
  readonly socket: WebSocket;
  readonly messages: readonly Message[];
  readonly closed: Promise<number>;
  readonly send: (message: unknown) => void;
  readonly subscribe: (query: string, id?: string) => void;
}

type SocketOptions = Partial<Parameters<typeof graphqlSockets>[0]>;

export interface SocketServer {
  readonly notebook: Notebook;
  readonly gateway: TestGateway;
  readonly sockets: GraphqlSockets;
  readonly port: number;
  /** The points that were spent, by rate class. */
  readonly spent: Record<string, number>;
  /** The refused handshakes' error codes. */
  readonly refusals: readonly string[];
  connect(token?: string): Promise<Client>;
  close(): Promise<void>;
}

/** Starts a websocket server over a notebook. A token is its principal's key in `principals`. */
export async function startSocketServer(
  principals: Record<string, Principal>,
  options: SocketOptions = {},
  gatewayOptions: GatewayOptions = {},
): Promise<SocketServer> {
  const notebook = new Notebook();
  const spentPoints: Record<string, number> = {};
  const refusals: string[] = [];
  const spend = async (name: string, points: number) => {
    spentPoints[name] = (spentPoints[name] ?? 0) + points;
    return { exceeded: false, seconds: 5 };
  };
  const limits: RateLimits = {
    spend: (rate, _principal, points) => spend(rate, points),
    charge: (rate, _principal, points) => void spend(rate, points),
    spendAnonymous: (_address, points) => spend("anonymous", points),
  };
  const gateway = await startGateway(notebook, { limits, introspection: false, ...gatewayOptions });
  const logger = createLogger("test", "silent");
  const sockets = graphqlSockets({
    operations: new LiveOperations({ graphs: gateway.graphs, introspection: false, limits, logger }),
    verifier: {
      async verify(token) {
        const principal = principals[token];
        if (!principal) throw new Error("no such token");
        return principal;
      },
    },
    ...{ limits, logger, ...options },
  });
  const server = createServer();
  server.on("upgrade", (request, socket, head: Buffer) => {
    try {
      sockets.upgrade(request, socket, head);
    } catch (error) {
      refusals.push((error as { code: string }).code);
      socket.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ notebook, gateway, sockets, port, spent: spentPoints, refusals },
    connect: (token) => connect(`ws://127.0.0.1:${port}/graphql`, token),
    async close() {
      await sockets.close();
      await gateway.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Opens a socket. Without a token it resolves when the socket is open, with a token when the server has acknowledged
 * it.
 */
async function connect(url: string, token: string | undefined): Promise<Client> {
  const socket = new WebSocket(url, "graphql-transport-ws");
  const messages: Message[] = [];
  const send = (message: unknown) => socket.send(JSON.stringify(message));
  const closeCode = new Promise<number>((resolve) => socket.once("close", resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("open", () => {
      if (token === undefined) resolve();
      else send({ type: "connection_init", payload: { authorization: `Bearer ${token}` } });
    });
    socket.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Message;
      messages.push(message);
      if (message.type === "connection_ack") resolve();
    });
  });
  const subscribe = (query: string, id = "1") => send({ type: "subscribe", id, payload: { query } });
  return { socket, messages, closed: closeCode, send, subscribe };
}

const patienceMs = 180_000;

export async function until(description: string, condition: () => boolean): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Not within ${patienceMs} ms: ${description}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
