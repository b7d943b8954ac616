import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { HeaderMap } from "@apollo/server";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import { aPrincipal } from "../admission/principal.fixture.js";
import { comments, type Notebook, notes } from "../execution/notes.fixture.js";
import { type Client, type SocketServer, startSocketServer, until } from "../websocket/socket-server.fixture.js";
import type { Graph } from "./graph.js";
import type { SupergraphCandidate } from "./supergraph-check.js";

/** The graph of the notebook without `Note.owner`, or with another description. */
const withoutOwner: SupergraphCandidate = { subgraphSdls: { notes, comments: comments.replace("owner: String", "") } };
const describedCandidate = (text: string): SupergraphCandidate => ({
  subgraphSdls: { notes, comments: comments.replace("comment: String", `"${text}" comment: String`) },
});
const withOwner: SupergraphCandidate = { subgraphSdls: { notes, comments } };

const ownerQuery = "{ note { id owner } }";

let server: SocketServer;
let notebook: Notebook;

beforeEach(async () => {
  server = await startSocketServer({ good: aPrincipal() });
  ({ notebook } = server);
});

afterEach(() => server.close());

const context = (): RequestContext =>
  requestContext({ principal: aPrincipal(), trace: continueTrace(undefined), signal: undefined });

async function ask(query: string) {
  const headers = new HeaderMap([
    ["content-type", "application/json"],
    ["accept", "application/graphql-response+json"],
  ]);
  const { server: http } = server.gateway;
  const { status, body } = await http.execute({ method: "POST", headers, search: "", body: { query } }, context());
  return { status, ...(JSON.parse(body) as { data?: unknown; errors?: { message: string }[] }) };
}

const replace = (candidate: SupergraphCandidate) => server.gateway.supergraph.replace(candidate);

const hasEnded = ({ messages }: Client, id = "1") =>
  messages.some((message) => message.id === id && message.type === "complete");

const lastErrors = ({ messages }: Client) =>
  messages
    .filter(({ type }) => type === "next")
    .flatMap(({ payload }) => (payload as { errors?: { extensions: Record<string, unknown> }[] }).errors ?? []);

/** Asks for a note and holds its answer back until the returned function is called. */
function shut(): () => void {
  let open = () => {};
  notebook.gate = new Promise((resolve) => (open = resolve));
  return () => open();
}

describe("a supergraph that is replaced", () => {
  it("is the one that new requests meet, over HTTP, websocket and in stored documents", async () => {
    const preparedGraphs: string[] = [];
    server.gateway.supergraph.use((graph) => {
      graph.prepare("query Stored { note { id } }", "Stored");
      return () => preparedGraphs.push(graph.id);
    });
    expect(await ask(ownerQuery)).toMatchObject({ status: 200, data: { note: { owner: "svc" } } });
    expect(await replace(withoutOwner)).toMatchObject({ outcome: "replaced" });
    expect(await ask(ownerQuery)).toMatchObject({ status: 400 });
    expect((await ask(ownerQuery)).errors?.[0]?.message).toContain('Cannot query field "owner"');
    const client = await server.connect("good");
    client.subscribe(ownerQuery);
    await until("the websocket answers", () => client.messages.some(({ type }) => type === "error"));
    client.socket.terminate();
    expect(preparedGraphs).toHaveLength(2);
    expect(preparedGraphs[1]).toBe(server.gateway.graphs.current.id);
  });

  it("goes on as it is when the candidate is the same", async () => {
    const { graphs } = server.gateway;
    const before = graphs.current;
    expect(await replace(withOwner)).toMatchObject({ outcome: "unchanged" });
    expect(graphs.current).toBe(before);
  });

  it("ends the operations that run on it, with documents that only the old one knows", async () => {
    const client = await server.connect("good");
    const open = shut();
    const running = ask(ownerQuery);
    client.subscribe(ownerQuery);
    await until("both have begun", () => notebook.asked === 2);
    expect(await replace(withoutOwner)).toMatchObject({ outcome: "replaced" });
    expect(server.gateway.graphs.previous).toBeDefined();
    open();
    expect(await running).toMatchObject({ status: 200, data: { note: { owner: "svc" } } });
    await until("the websocket answers", () => client.messages.some(({ type }) => type === "next"));
    expect(client.messages.find(({ type }) => type === "next")?.payload).toMatchObject({
      data: { note: { owner: "svc" } },
    });
    await until("the old graph is gone", () => server.gateway.graphs.previous === undefined);
    client.socket.terminate();
  });

  it("runs a document on the graph for whose schema it came, even if it is planned after the swap", async () => {
    const { graphs, gateway, supergraph } = server.gateway;
    const old = graphs.current;
    old.enter();
    const schema = gateway.schema;
    const { executor } = await executorOf(server);
    expect(await supergraph.replace(withoutOwner)).toMatchObject({ outcome: "replaced" });
    const answer = await executor(ownerQuery, schema);
    expect(answer).toMatchObject({ data: { note: { owner: "svc" } } });
    expect(await executor(ownerQuery, gateway.schema)).toMatchObject({
      errors: [expect.objectContaining({ message: expect.stringContaining('"owner"') })],
    });
    old.leave();
    await until("the old graph is gone", () => graphs.previous === undefined);
    expect(await executor(ownerQuery, schema)).toMatchObject({
      errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: "UNAVAILABLE" }) })],
    });
  });
});

/** The executor that Apollo Server has, for a request with any schema. */
async function executorOf({ gateway: { gateway } }: SocketServer) {
  const { parse, getOperationAST } = await import("graphql");
  return {
    executor: (query: string, schema: unknown) => {
      const document = parse(query);
      const operation = getOperationAST(document);
      const request = { document, operation, source: query, schema, request: {}, context: context() };
      return (gateway as unknown as { execute(request: unknown): Promise<unknown> }).execute(request);
    },
  };
}

describe("a candidate that is refused", () => {
  it.each([
    ["does not compose", { notes, comments: comments.replace("id: ID!", "id: Int!") }, "Note.id"],
    [
      "asks a subgraph for what it lacks",
      { notes: notes.replace("text: String!", "text: String! tag: Int"), comments },
      '"Note.tag"',
    ],
    ["names a subgraph that is not connected", { notes, comments, others: "type Query { other: Int }" }, '"others"'],
  ])("%s, and the graph at hand goes on", async (_, subgraphSdls, reason) => {
    const { graphs, supergraph } = server.gateway;
    const before = graphs.current;
    const refusal = await replace({ subgraphSdls });
    expect(refusal.outcome).toBe("refused");
    expect(refusal.reasons?.join()).toContain(reason);
    expect(graphs.current).toBe(before);
    expect(await ask(ownerQuery)).toMatchObject({ status: 200 });
    expect(supergraph.outcomes).toEqual({ replaced: 0, unchanged: 0, refused: 1 });
  });

  it("does not fit a stored document", async () => {
    server.gateway.supergraph.use((graph) => {
      graph.prepare("query Stored { note { owner } }", "Stored");
      return () => undefined;
    });
    const refusal = await replace(withoutOwner);
    expect(refusal.reasons?.join()).toContain(
      'The stored operation Stored does not fit the graph: Cannot query field "owner"',
    );
    expect(await ask(ownerQuery)).toMatchObject({ status: 200 });
  });

  it("is one that a part of the platform cannot compile for", async () => {
    let compiledCount = 0;
    server.gateway.supergraph.use(() => {
      compiledCount += 1;
      if (compiledCount === 2) throw new Error("no route for this");
      return () => undefined;
    });
    expect((await replace(withoutOwner)).reasons).toEqual(["no route for this"]);
    expect(await replace(withoutOwner)).toMatchObject({ outcome: "replaced" });
  });
});

describe("the subscriptions of a replaced graph", () => {
  const subscription = "subscription { noted { id comment } }";

  async function subscribed(): Promise<Client> {
    const client = await server.connect("good");
    const before = notebook.subscribers;
    client.subscribe(subscription);
    await until("it listens", () => notebook.subscribers === before + 1);
    return client;
  }

  it("get events of the old graph, and end with their cursor when the next one comes", async () => {
    const client = await subscribed();
    await replace(withoutOwner);
    notebook.tell({ id: "1", text: "one" });
    await until("the event has come", () => client.messages.some(({ type }) => type === "next"));
    await replace(withOwner);
    await until("the subscription has ended", () => hasEnded(client));
    expect(lastErrors(client)).toEqual([
      expect.objectContaining({ extensions: expect.objectContaining({ code: "UNAVAILABLE", cursor: "1" }) }),
    ]);
    expect(notebook.subscribers).toBe(0);
    client.subscribe(subscription, "2");
    await until("it listens again, on the same socket", () => notebook.subscribers === 1);
    client.socket.terminate();
  });

  it("end without a cursor where their source cannot tell one", async () => {
    notebook.tellsCursor = false;
    const client = await subscribed();
    await replace(withoutOwner);
    await replace(withOwner);
    await until("the subscription has ended", () => hasEnded(client));
    expect(lastErrors(client)).toEqual([
      expect.objectContaining({ extensions: expect.objectContaining({ code: "UNAVAILABLE" }) }),
    ]);
    client.socket.terminate();
  });

  it("end by themselves, one after the other", async () => {
    await server.close();
    server = await startSocketServer({ good: aPrincipal() }, {}, { subscriptionsEndMs: 2000 });
    ({ notebook } = server);
    const { graphs } = server.gateway;
    const clients = [await subscribed(), await subscribed()];
    await replace(withoutOwner);
    expect(graphs.previous?.subscriptions).toBe(2);
    await until("the first one has ended", () => clients.some((client) => hasEnded(client)));
    await until("both have ended", () => clients.every((client) => hasEnded(client)));
    await until("the old graph is gone", () => graphs.previous === undefined);
    for (const { socket } of clients) socket.terminate();
  });
});

describe("six replacements", () => {
  it("leave two graphs at most, while operations and subscriptions come and go", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const graphs: WeakRef<Graph>[] = [new WeakRef(server.gateway.graphs.current)];
    const alive = () => graphs.filter((graph) => graph.deref() !== undefined).length;
    const failures: unknown[] = [];
    const client = await server.connect("good");
    for (let count = 0; count < 6; count += 1) {
      const replacement = await replace(describedCandidate(`number ${count}`));
      if (replacement.outcome !== "replaced") failures.push(replacement);
      graphs.push(new WeakRef(server.gateway.graphs.current));
      client.subscribe("subscription { noted { id } }", `${count}`);
      await until("it listens", () => server.gateway.graphs.current.subscriptions === 1);
      if (count % 2 === 0 && (await ask(ownerQuery)).status !== 200) failures.push(count);
    }
    await until("the graphs before the last two are collected", () => {
      collect();
      return alive() <= 2;
    });
    expect(failures).toEqual([]);
    // the subscription on the graph before the last one may still run
    expect(client.messages.filter(({ type }) => type === "complete").length).toBeGreaterThanOrEqual(4);
    client.socket.terminate();
  });
});
