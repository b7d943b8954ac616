import { documentLimits } from "@factory/gateway/limits/document-limits";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { aRawSocket } from "../kit/raw-socket.js";
import { request } from "../kit/request.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

interface ReceivedEvent {
  events: { type: string; cursor: string; data: { name: string } };
}

const query = `subscription ($types: [String!], $after: String) {
  events(types: $types, after: $after) { type cursor data } }`;
const types = ["TemplateRegistered"];

let tenant: TestTenant;
let token: string;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
});

const register = (name: string) => request("POST /v1/templates", { token, body: { name } });
const names = (feed: { events: readonly ReceivedEvent[] }) => feed.events.map(({ events }) => events.data.name);
const init = (authorization?: string) => ({
  type: "connection_init",
  ...(authorization ? { payload: { authorization } } : {}),
});

/** The error code that ends an operation immediately. */
async function refused(document: string, variables: Record<string, unknown> = {}, as = token): Promise<unknown> {
  const feed = await aFeed({ query: document, variables, token: as });
  await eventually("it is refused", () => feed.errors.length > 0);
  await feed.stop();
  expect(feed.events).toEqual([]);
  return (feed.errors[0] as { extensions?: { code?: string } }).extensions?.code;
}

describe("a websocket", () => {
  it.each([
    ["no token", undefined, "No token in connection_init"],
    ["garbage", "Bearer garbage", "Token not valid"],
    ["text that is not a token", "Basic eDp5", "Token not valid"],
  ])("is closed with 4403 and the reason in words when it starts with %s", async (_, authorization, reason) => {
    const socket = await aRawSocket();
    socket.send(init(authorization));
    expect(await socket.closed).toEqual({ code: 4403, reason });
  });

  it("takes the token from the headers in its connection_init", async () => {
    const socket = await aRawSocket();
    socket.send({ type: "connection_init", payload: { headers: { Authorization: `Bearer ${token}` } } });
    await eventually("it is acknowledged", () => socket.messages.some(({ type }) => type === "connection_ack"));
    socket.close();
  });

  it("continues the trace of its connection_init", async () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const socket = await aRawSocket();
    const payload = { authorization: `Bearer ${token}`, traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    socket.send({ type: "connection_init", payload });
    await eventually("it is acknowledged", () => socket.messages.some(({ type }) => type === "connection_ack"));
    const document = `{ template(templateId: "tpl_unknown") { name } }`;
    socket.send({ type: "subscribe", id: "1", payload: { query: document } });
    await eventually("it answers", () => socket.messages.some(({ type }) => type === "next"));
    expect(socket.messages.at(-1)?.payload ?? socket.messages.at(-2)?.payload).toMatchObject({
      errors: [{ extensions: { traceId } }],
    });
    socket.close();
  });

  it("is closed with 4401 when it subscribes before it has started", async () => {
    const socket = await aRawSocket();
    socket.send({ type: "subscribe", id: "1", payload: { query } });
    expect((await socket.closed).code).toBe(4401);
  });

  it("is closed with 4400 for text that is not a message, and with 4409 for an id that is in use", async () => {
    for (const text of ["{", "1.0", JSON.stringify(JSON.stringify({ type: "ping" }))]) {
      const brokenSocket = await aRawSocket();
      brokenSocket.send(text);
      expect((await brokenSocket.closed).code).toBe(4400);
    }
    const twice = await aRawSocket();
    twice.send(init(`Bearer ${token}`));
    await eventually("it is acknowledged", () => twice.messages.some(({ type }) => type === "connection_ack"));
    for (let times = 0; times < 2; times += 1)
      twice.send({ type: "subscribe", id: "1", payload: { query, variables: { types } } });
    expect((await twice.closed).code).toBe(4409);
  });

  it("is closed when a message is over 64 KiB", async () => {
    const socket = await aRawSocket();
    socket.send({ ...init(`Bearer ${token}`), filler: "x".repeat(64 * 1024) });
    expect((await socket.closed).code).toBe(1009);
  });

  it("may run at most 100 operations, and one principal may open at most 20 sockets", async () => {
    const ownToken = await (await aTenant()).tokenWith();
    const sockets = await Promise.all(Array.from({ length: 20 }, aRawSocket));
    for (const socket of sockets) socket.send(init(`Bearer ${ownToken}`));
    const isAcknowledged = ({ messages }: (typeof sockets)[number]) =>
      messages.some(({ type }) => type === "connection_ack");
    await eventually("all are acknowledged", () => sockets.every(isAcknowledged));
    const oneMore = await aRawSocket();
    oneMore.send(init(`Bearer ${ownToken}`));
    expect(await oneMore.closed).toEqual({ code: 4420, reason: "Too many sockets" });
    const [first] = sockets;
    for (let id = 0; id <= 100; id += 1)
      first?.send({ type: "subscribe", id: String(id), payload: { query, variables: { types } } });
    await eventually("the last is refused", () => first?.messages.some(({ type }) => type === "error") ?? false);
    const errors = first?.messages.filter(({ type }) => type === "error");
    expect(errors).toEqual([
      { type: "error", id: "100", payload: [expect.objectContaining({ extensions: { code: "TOO_COMPLEX" } })] },
    ]);
    for (const socket of sockets) socket.close();
    await Promise.all(sockets.map(({ closed }) => closed));
  });

  it("runs queries and mutations too", async () => {
    const socket = await aRawSocket();
    socket.send(init(`Bearer ${token}`));
    await eventually("it is acknowledged", () => socket.messages.some(({ type }) => type === "connection_ack"));
    const payload = { query: `mutation { registerTemplate(input: { name: "By socket" }) { name } }` };
    socket.send({ type: "subscribe", id: "1", payload });
    await eventually("it is done", () => socket.messages.some(({ type }) => type === "complete"));
    expect(socket.messages.find(({ type }) => type === "next")?.payload).toEqual({
      data: { registerTemplate: { name: "By socket" } },
    });
    socket.close();
    await socket.closed;
  });
});

describe("Subscription.events", () => {
  it("resumes after a cursor with exactly the events that were missed, in their order", async () => {
    const first = await aFeed<ReceivedEvent>({ query, variables: { types }, token });
    await register("Seen 1");
    await register("Seen 2");
    await eventually("both events arrive", () => names(first).includes("Seen 2"));
    await first.stop();
    const missedNames = Array.from({ length: 5 }, (_, index) => `Missed ${index}`);
    for (const name of missedNames) await register(name);
    const after = first.events.find(({ events }) => events.data.name === "Seen 2")?.events.cursor;
    const second = await aFeed<ReceivedEvent>({ query, variables: { types, after }, token });
    await eventually("the missed events arrive", () => second.events.length >= missedNames.length);
    await register("Live");
    await eventually("the live subscriber gets the event", () => second.events.length > missedNames.length);
    expect(names(second)).toEqual([...missedNames, "Live"]);
    const cursors = second.events.map(({ events }) => Number(events.cursor));
    expect(cursors).toEqual([...cursors].sort((a, b) => a - b));
    await second.stop();
  });

  it("starts with the next event when no cursor is given", async () => {
    const ready = await aFeed<ReceivedEvent>({ query, variables: { types, after: "0" }, token });
    await register("Before");
    await eventually("it is in the log", () => names(ready).includes("Before"));
    const feed = await aFeed<ReceivedEvent>({ query, variables: { types }, token });
    await register("After");
    await eventually("the event arrives", () => feed.events.length > 0);
    expect(names(feed)).toEqual(["After"]);
    await Promise.all([feed.stop(), ready.stop()]);
  });

  it("sends only events that the token may read", async () => {
    const narrow = await tenant.tokenWith("libraries.read", "libraries.write");
    const feed = await aFeed<ReceivedEvent>({ query, token: narrow });
    await register("Hidden");
    await request("POST /v1/libraries", { token, body: { packageName: `Shown.${Date.now()}` } });
    await eventually("the event of the library arrives", () => feed.events.length > 0);
    expect(feed.events.map(({ events }) => events.type)).toEqual(["LibraryRegistered"]);
    await feed.stop();
  });

  it.each([
    ["an unknown type", { types: ["TemplateExploded"] }, "VALIDATION_FAILED"],
    ["an empty list of types", { types: [] }, "VALIDATION_FAILED"],
    ["text that is not a cursor", { after: "yesterday" }, "INVALID_CURSOR"],
    ["a negative cursor", { after: "-1" }, "INVALID_CURSOR"],
    ["a cursor ahead of every event", { after: "9007199254740991" }, "INVALID_CURSOR"],
    ["a type that no tenant may read", { types: ["TenantRegistered"] }, "INSUFFICIENT_SCOPE"],
  ])("refuses %s", async (_, variables, code) => {
    expect(await refused(query, variables)).toBe(code);
  });

  it("keeps the socket open for other operations when one is refused", async () => {
    const socket = await aRawSocket();
    socket.send(init(`Bearer ${token}`));
    await eventually("it is acknowledged", () => socket.messages.some(({ type }) => type === "connection_ack"));
    socket.send({ type: "subscribe", id: "bad", payload: { query, variables: { types: ["Nothing"] } } });
    socket.send({ type: "subscribe", id: "good", payload: { query: "{ __typename }" } });
    await eventually("the valid message is answered", () =>
      socket.messages.some(({ id, type }) => id === "good" && type === "complete"),
    );
    socket.close();
    expect((await socket.closed).code).not.toBe(4400);
  });
});

describe("the limits of a document over the websocket", () => {
  const { maxDepth, maxAliases, maxTokens } = documentLimits;
  const fields = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => `${prefix}${index}: type`).join(" ");

  it.each([
    ["aliases", `subscription { events { ${fields(maxAliases + 1, "a")} } }`],
    [
      "levels",
      `subscription { events { subject { ... on TemplateVersion { ${"template { allVersions { ".repeat(maxDepth / 2)} status ${"} }".repeat(maxDepth / 2)} } } } }`,
    ],
    ["two root fields", `subscription { a: events { type } b: events { type } }`],
    ["tokens", `subscription { events { ${"type ".repeat(maxTokens)} } }`],
    ["fields that do not exist", "subscription { events { nothing } }"],
    ["text that is not GraphQL", "subscription { events"],
  ])("hold: %s", async (_, document) => {
    const feed = await aFeed({ query: document, token });
    await eventually("it is refused", () => feed.errors.length > 0);
    expect(feed.events).toEqual([]);
    await feed.stop();
  });

  it("are reported with their code", async () => {
    expect(await refused(`subscription { events { ${fields(maxAliases + 1, "a")} } }`)).toBe("TOO_COMPLEX");
  });
});
