import { type AddressInfo, connect } from "node:net";
import { PrincipalSeats } from "@factory/runtime/platform-limits/principal-seats";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { fastify } from "fastify";
import { parse } from "graphql";
import { GraphqlStreams } from "../event-streams/graphql-streams.js";
import { Notebook } from "../execution/notes.fixture.js";
import { graphqlEndpoint } from "../http/graphql-endpoint.js";
import { LiveOperations } from "../live-operations/live-operations.js";
import { startGateway } from "../supergraph/gateway.fixture.js";
import { graphqlSockets } from "../websocket/graphql-sockets.js";
import { type Client, type SocketServer, startSocketServer, until } from "../websocket/socket-server.fixture.js";
import { ConnectionSeats } from "./connection-seats.js";
import { deadlineOf, runInTime } from "./operation-deadline.js";
import { aPrincipal } from "./principal.fixture.js";

const query = "{ note { id comment } }";
const mutation = "mutation { addNote { id comment } }";

/** A gate that is shut until `open` is called. */
function shut(notebook: Notebook): () => void {
  let open = () => undefined as void;
  notebook.gate = new Promise((resolve) => {
    open = resolve;
  });
  return open;
}

const run = (
  notebook: Notebook,
  text: string,
  { idempotencyKey, deadlineMs = 50 }: { idempotencyKey?: string; deadlineMs?: number } = {},
) => {
  const context = requestContext({ principal: aPrincipal(), trace: continueTrace(undefined), idempotencyKey });
  return runInTime(notebook.executor.compile(parse(text)), { variables: {}, context, deadlineMs });
};

/**
 * A query through the open gate. It ends after the next fetch by all that have passed the gate before, and joins once.
 */
const laterQuery = (notebook: Notebook) => run(notebook, query, { deadlineMs: 600_000 });

describe("the deadline of an operation", () => {
  const timeout = (message: string) => ({
    errors: [
      expect.objectContaining({
        message: expect.stringContaining(message),
        extensions: expect.objectContaining({ code: "UPSTREAM_TIMEOUT", status: 504 }),
      }),
    ],
  });

  it("is 60 s for validation, preview, import and advice, otherwise 30 s", () => {
    for (const name of [
      "validateTemplateVersion",
      "previewExecution",
      "importLibraryPackage",
      "scanDependencies",
      "libraryUpgradeAdvice",
    ])
      expect(deadlineOf(["template", name])).toBe(60_000);
    expect(deadlineOf(["template", "registerTemplate"])).toBe(30_000);
  });

  it("is no concern of an operation that is in time", async () => {
    expect(await run(new Notebook(), query, { deadlineMs: 60_000 })).toEqual({
      data: { note: { id: "1", comment: "for ten_1" } },
    });
  });

  it("answers UPSTREAM_TIMEOUT, and the query stops at its next fetch", async () => {
    const notebook = new Notebook();
    const open = shut(notebook);
    expect(await run(notebook, query)).toEqual(timeout("longer than 0.05 s"));
    open();
    await laterQuery(notebook);
    expect([notebook.asked, notebook.joined]).toEqual([2, 1]);
  });

  it("is told to the reads of a query, and not to those of a mutation", async () => {
    for (const [text, stops] of [
      [query, true],
      [mutation, false],
    ] as const) {
      const notebook = new Notebook();
      const open = shut(notebook);
      const context = requestContext({ principal: aPrincipal(), trace: continueTrace(undefined) });
      const running = runInTime(notebook.executor.compile(parse(text)), { variables: {}, context, deadlineMs: 50 });
      expect(context.signal?.aborted).toBe(stops ? false : undefined);
      await running;
      expect(context.signal?.aborted).toBe(stops ? true : undefined);
      open();
    }
  });

  it("lets a mutation run to its end, and says that a repeat with the same key is safe", async () => {
    const notebook = new Notebook();
    const open = shut(notebook);
    expect(await run(notebook, mutation, { idempotencyKey: "key" })).toEqual(
      timeout("safely repeat the request with the same Idempotency-Key"),
    );
    expect(await run(notebook, mutation)).toEqual(timeout("The request had no Idempotency-Key"));
    expect(notebook.added).toBe(0);
    open();
    await until("both have run", () => notebook.added === 2 && notebook.joined === 2);
  });
});

describe("a caller who hangs up", () => {
  it.each([
    ["stops a query at its next fetch", query, { added: 0, joined: 0 }],
    ["does not stop a mutation", mutation, { added: 1, joined: 1 }],
  ])("%s over HTTP", async (_, document, expectedCounts) => {
    const notebook = new Notebook();
    const open = shut(notebook);
    const { app, port, hungUp } = await httpServer(notebook);
    const body = JSON.stringify({ query: document });
    const socket = connect(port, "127.0.0.1");
    socket.write(
      `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer good\r\ncontent-type: application/json\r
content-length: ${body.length}\r\n\r\n${body}`,
    );
    await until("the first fetch has begun", () => notebook.asked === 1);
    socket.destroy();
    await until("the server knows", hungUp);
    open();
    await until("the mutation has ended", () => notebook.joined >= expectedCounts.joined);
    await laterQuery(notebook);
    expect(notebook).toMatchObject({ added: expectedCounts.added, joined: expectedCounts.joined + 1 });
    await app.close();
  });

  it.each<[string, (client: Client, server: SocketServer) => Promise<void>]>([
    [
      "completes it",
      async ({ send, messages }) => {
        send({ type: "complete", id: "1" });
        send({ type: "ping" });
        await until("the server has read both", () => messages.some(({ type }) => type === "pong"));
      },
    ],
    [
      "is gone",
      async ({ socket }, { sockets }) => {
        socket.terminate();
        await until("the server knows", () => sockets.open.sockets === 0);
      },
    ],
  ])("stops a query over a websocket at its next fetch when the client %s", async (_, leave) => {
    const server = await startSocketServer({ good: aPrincipal() });
    const open = shut(server.notebook);
    const client = await server.connect("good");
    client.subscribe(query);
    await until("the first fetch has begun", () => server.notebook.asked === 1);
    await leave(client, server);
    open();
    await laterQuery(server.notebook);
    expect(server.notebook.joined).toBe(1);
    client.socket.terminate();
    await server.close();
  });
});

async function httpServer(notebook: Notebook) {
  const logger = createLogger("test", "silent");
  const verifier = { verify: async () => aPrincipal() };
  const free = async () => ({ exceeded: false, seconds: 0 });
  const limits = { spend: free, charge: () => undefined, spendAnonymous: free };
  const gateway = await startGateway(notebook, { limits, introspection: false });
  const { server, graphs } = gateway;
  const operations = new LiveOperations({ graphs, introspection: false, limits, logger });
  const doors = { operations, verifier, limits, seats: new ConnectionSeats(), principals: new PrincipalSeats(20) };
  const sockets = graphqlSockets({ ...doors, logger });
  const streams = new GraphqlStreams(doors);
  const endpoint = graphqlEndpoint({ server, sockets, streams, verifier, graphiql: false });
  const app = fastify();
  let isGone = false;
  app.post("/graphql", (request, reply) => {
    reply.raw.once("close", () => {
      isGone = true;
    });
    return endpoint.handle(request, reply);
  });
  app.addHook("onClose", () => gateway.close());
  await app.listen({ port: 0, host: "127.0.0.1" });
  return { app, port: (app.server.address() as AddressInfo).port, hungUp: () => isGone };
}
