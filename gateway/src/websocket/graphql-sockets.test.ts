import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "@factory/runtime/telemetry/logger";
import WebSocket from "ws";
import type { RateLimits } from "../admission/operation-charge.js";
import { aPrincipal } from "../admission/principal.fixture.js";
import { openShop } from "../execution/shop.fixture.js";
import { LiveOperations } from "../live-operations/live-operations.js";
import { startGateway, type TestGateway } from "../supergraph/gateway.fixture.js";
import { type GraphqlSockets, graphqlSockets } from "./graphql-sockets.js";

const principal = aPrincipal();

let server: Server;
let gateway: TestGateway;
let sockets: GraphqlSockets;
let leftPoints = 0;

beforeAll(async () => {
  const shop = openShop();
  const limits: RateLimits = {
    async spend(_rate, _principal, points) {
      leftPoints -= points;
      return { exceeded: leftPoints < 0, seconds: 5 };
    },
    charge: (_rate, _principal, points) => void (leftPoints -= points),
    spendAnonymous: async () => ({ exceeded: true, seconds: 5 }),
  };
  gateway = await startGateway(shop, { limits, introspection: false });
  const logger = createLogger("test", "silent");
  const operations = new LiveOperations({ graphs: gateway.graphs, introspection: false, limits, logger });
  sockets = graphqlSockets({ operations, verifier: { verify: async () => principal }, limits, logger });
  server = createServer();
  server.on("upgrade", (request, socket, head: Buffer) => sockets.upgrade(request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  await sockets.close();
  await gateway.close();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
  leftPoints = 100;
});

interface Message {
  type: string;
  payload?: unknown;
}

/** The socket's messages for one operation, up to its end. */
async function ask(payload: { query: string; operationName?: string; variables?: unknown }): Promise<Message> {
  const { port } = server.address() as AddressInfo;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, "graphql-transport-ws");
  try {
    return await new Promise<Message>((resolve, reject) => {
      const send = (message: object) => socket.send(JSON.stringify(message));
      socket.once("error", reject);
      socket.once("close", (code, reason) => reject(new Error(`closed: ${code} ${String(reason)}`)));
      socket.once("open", () => send({ type: "connection_init", payload: { authorization: "Bearer good" } }));
      socket.on("message", (data) => {
        const message = JSON.parse((data as Buffer).toString()) as Message;
        if (message.type === "connection_ack") send({ id: "1", type: "subscribe", payload });
        else resolve(message);
      });
    });
  } finally {
    socket.removeAllListeners("close");
    socket.close();
  }
}

const refusal = (code: string, message: unknown = expect.any(String)) => [
  expect.objectContaining({ message, extensions: expect.objectContaining({ code }) }),
];

describe("a websocket over a schema that is not shown", () => {
  it("answers no introspection", async () => {
    const { type, payload } = await ask({ query: "{ __schema { queryType { name } } }" });
    expect([type, payload]).toEqual(["error", expect.arrayContaining(refusal("VALIDATION_FAILED"))]);
  });

  it("names neither types nor fields", async () => {
    const { payload } = await ask({ query: "{ mee { id } }" });
    expect(payload).toEqual(refusal("VALIDATION_FAILED", 'Cannot query field "mee".'));
  });
});

describe("an operation over a websocket", () => {
  it("is refused when the document has none of its name", async () => {
    const { type, payload } = await ask({ query: "query A { me { id } }", operationName: "B" });
    expect([type, payload]).toEqual(["error", refusal("VALIDATION_FAILED")]);
  });

  it("says what is wrong with its variables", async () => {
    const { payload } = await ask({ query: "query ($s: Boolean!) { me @skip(if: $s) { id } }", variables: { s: "x" } });
    expect(payload).toMatchObject({ errors: refusal("VALIDATION_FAILED", expect.stringContaining("$s")) });
  });

  it("counts in the tenant's rate limits", async () => {
    leftPoints = 2;
    const query = "{ a: me { id } b: me { id } }";
    expect(await ask({ query })).toMatchObject({ type: "next", payload: { data: expect.anything() } });
    expect((await ask({ query })).payload).toMatchObject({ errors: refusal("RATE_LIMITED") });
  });
});
