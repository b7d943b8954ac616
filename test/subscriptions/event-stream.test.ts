import { anEventStream, type EventStream } from "../kit/event-stream.js";
import { eventually } from "../kit/eventually.js";
import { executed } from "../kit/executions.js";
import { aSmallPack } from "../kit/packs.js";
import { aRawSocket } from "../kit/raw-socket.js";
import { request } from "../kit/request.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";
import { aTenant, moved, type TestTenant } from "../kit/tenants.js";

interface ReceivedEvent {
  readonly events: { readonly type: string; readonly cursor: string; readonly data: { readonly name: string } };
}

const query = `subscription ($types: [String!], $after: String) {
  events(types: $types, after: $after) { type cursor data } }`;
const types = ["TemplateRegistered"];
const socketsOfPrincipal = 20;

let tenant: TestTenant;
let token: string;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
});

const register = (name: string, as = token) => request("POST /v1/templates", { token: as, body: { name } });
const follow = (options: Partial<Parameters<typeof anEventStream>[0]> = {}) =>
  anEventStream<ReceivedEvent>({ query, variables: { types }, token, ...options });
const names = ({ results }: EventStream<ReceivedEvent>) =>
  results.flatMap(({ data }) => (data ? [data.events.data.name] : []));
const codes = ({ results }: EventStream<unknown>) =>
  results.flatMap(({ errors = [] }) => errors.map(({ extensions }) => extensions.code));
const kinds = ({ events }: EventStream<unknown>) => events.map(({ event }) => event);

describe("an event stream", () => {
  it.each(["POST", "GET"] as const)("has each event with its cursor as id, by %s", async (method) => {
    const stream = await follow({ method });
    expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(stream.headers.get("content-encoding")).toBeNull();
    await register(`First by ${method}`);
    await register(`Second by ${method}`);
    await eventually("both events arrive", () => stream.results.length === 2);
    expect(names(stream)).toEqual([`First by ${method}`, `Second by ${method}`]);
    expect(stream.events.map(({ id }) => id)).toEqual(stream.results.map(({ data }) => data?.events.cursor));
    await stream.stop();
  });

  it("goes on after Last-Event-ID with exactly the events that were missed, whatever the operation's argument", async () => {
    const first = await follow();
    await register("Seen");
    await eventually("the event arrives", () => first.results.length === 1);
    await first.stop();
    const missedNames = Array.from({ length: 5 }, (_, index) => `Missed ${index}`);
    for (const name of missedNames) await register(name);
    const lastEventId = first.events.at(-1)?.id;
    for (const variables of [{ types }, { types, after: "0" }]) {
      const second = await follow({ lastEventId, variables });
      await eventually("the missed events arrive", () => second.results.length >= missedNames.length);
      expect(names(second)).toEqual(missedNames);
      await second.stop();
    }
    const document = `subscription { events(types: ["TemplateRegistered"]) { data } }`;
    const withoutArgument = await follow({ query: document, variables: {}, lastEventId });
    await eventually("the missed events arrive", () => withoutArgument.results.length >= missedNames.length);
    expect(names(withoutArgument)).toEqual(missedNames);
    await withoutArgument.stop();
  });

  it("has the steps of an execution with their sequences as ids, and ends after the last one", async () => {
    const version = await aTemplateVersion(token, await aTemplateSource(aSmallPack()));
    const { executionId } = await executed(token, version, { target: { repository: "acme/streamed" } });
    const document = "subscription ($id: ID!) { executionStatusChanged(executionId: $id) { sequence status } }";
    const whole = await follow({ query: document, variables: { id: executionId } });
    await whole.ended;
    expect(kinds(whole)).toEqual([...whole.results.map(() => "next"), "complete"]);
    expect(whole.results.at(-1)?.data).toMatchObject({ executionStatusChanged: { status: "Completed" } });
    const ids = whole.events.slice(0, -1).map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, index) => String(index + 1)));
    const rest = await follow({ query: document, variables: { id: executionId }, lastEventId: "3" });
    await rest.ended;
    expect(rest.results).toEqual(whole.results.slice(3));
  });

  it("has one result for a query and for a mutation", async () => {
    for (const document of [
      "{ __typename }",
      `mutation { registerTemplate(input: { name: "By stream ${Math.random()}" }) { name } }`,
    ]) {
      const stream = await follow({ query: document, variables: {} });
      await stream.ended;
      expect([stream.status, kinds(stream), codes(stream)]).toEqual([200, ["next", "complete"], []]);
    }
  });

  it("runs a mutation once for one Idempotency-Key", async () => {
    const document = `mutation { registerTemplate(input: { name: "Keyed ${Math.random()}" }) { templateId } }`;
    const headers = { "idempotency-key": `stream-${Math.random()}` };
    const first = await follow({ query: document, variables: {}, headers });
    const again = await follow({ query: document, variables: {}, headers });
    await Promise.all([first.ended, again.ended]);
    expect(again.results).toEqual(first.results);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
  });

  it("is JSON for a client that prefers it", async () => {
    const accept = "application/graphql-response+json, application/json, text/event-stream";
    const answer = await request("POST /graphql", { token, body: { query: "{ __typename }" }, headers: { accept } });
    expect(answer.body).toEqual({ data: { __typename: "Query" } });
  });
});

describe("a refused event stream", () => {
  it.each([
    ["no token", { token: undefined }, 401, "UNAUTHENTICATED"],
    ["a token that is not valid", { token: "garbage" }, 401, "TOKEN_INVALID"],
    ["another tenant in a header", { headers: { "x-tenant-id": "ten_unknown" } }, 403, "TENANT_MISMATCH"],
    ["a mutation by GET", { method: "GET", query: "mutation { __typename }" }, 405, "METHOD_NOT_ALLOWED"],
    ["broken JSON", { raw: "{" }, 400, "MALFORMED_JSON"],
    ["a list", { raw: "[]" }, 400, "VALIDATION_FAILED"],
    ["no query", { raw: "{}" }, 400, "VALIDATION_FAILED"],
    ["a query that is a number", { raw: `{"query":7}` }, 400, "VALIDATION_FAILED"],
    ["variables that are a list", { raw: `{"query":"{ __typename }","variables":[]}` }, 400, "VALIDATION_FAILED"],
    ["text that is no JSON", { headers: { "content-type": "text/plain" } }, 415, "UNSUPPORTED_MEDIA_TYPE"],
  ] as const)("has a status and a problem for %s", async (_, options, status, code) => {
    const stream = await follow(options as Partial<Parameters<typeof anEventStream>[0]>);
    expect([stream.status, stream.problem?.code]).toEqual([status, code]);
  });

  it.each([
    ["text that is no GraphQL", { query: "subscription {" }, "VALIDATION_FAILED"],
    ["an unknown field", { query: "subscription { events { nothing } }" }, "VALIDATION_FAILED"],
    ["an unknown type of events", { variables: { types: ["TemplateExploded"] } }, "VALIDATION_FAILED"],
    ["an id that is no cursor", { lastEventId: "yesterday" }, "INVALID_CURSOR"],
    ["an id of the future", { lastEventId: "9007199254740991" }, "INVALID_CURSOR"],
    ["a type that no tenant may read", { variables: { types: ["TenantRegistered"] } }, "INSUFFICIENT_SCOPE"],
  ])("has its error as its only event for %s", async (_, options, code) => {
    const stream = await follow(options);
    await stream.ended;
    expect([stream.status, kinds(stream), codes(stream)]).toEqual([200, ["next", "complete"], [code]]);
  });

  it("shows nothing of another tenant", async () => {
    const version = await aTemplateVersion(token, await aTemplateSource(aSmallPack()));
    const { executionId } = await executed(token, version, { target: { repository: "acme/other" } });
    const document = "subscription ($id: ID!) { executionStatusChanged(executionId: $id) { status } }";
    const stranger = await (await aTenant()).tokenWith();
    const narrow = await tenant.tokenWith("libraries.read");
    for (const [as, code] of [
      [stranger, "EXECUTION_NOT_FOUND"],
      [narrow, "INSUFFICIENT_SCOPE"],
    ] as const) {
      const stream = await follow({ query: document, variables: { id: executionId }, token: as, lastEventId: "1" });
      await stream.ended;
      expect([codes(stream), kinds(stream)]).toEqual([[code], ["next", "complete"]]);
    }
  });
});

describe("the limits of event streams", () => {
  it("count with the principal's websockets, and a closed stream gives its place back", async () => {
    const own = await (await aTenant()).tokenWith();
    const socket = await aRawSocket();
    socket.send({ type: "connection_init", payload: { authorization: `Bearer ${own}` } });
    await eventually("it is acknowledged", () => socket.messages.length > 0);
    const streams = await Promise.all(Array.from({ length: socketsOfPrincipal - 1 }, () => follow({ token: own })));
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200));
    const refused = await follow({ token: own });
    expect([refused.status, refused.problem?.code]).toEqual([429, "RATE_LIMITED"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await streams[0]?.stop();
    await eventually("there is a place again", async () => {
      const stream = await follow({ token: own });
      streams.push(stream);
      return stream.status === 200;
    });
    await Promise.all(streams.map((stream) => stream.stop()));
    socket.close();
  });
});

describe("the end of an event stream", () => {
  it("tells a revoked tenant why, with the cursor to go on from", async () => {
    const closing = await aTenant();
    const itsToken = await closing.tokenWith();
    const stream = await follow({ token: itsToken });
    await register("Heard", itsToken);
    await eventually("the event arrives", () => stream.results.length === 1);
    const cursor = stream.events.at(-1)?.id;
    const strangers = await follow();
    expect(await moved(closing, "suspendTenant")).toBe("Suspended");
    await stream.ended;
    expect([codes(stream), kinds(stream)]).toEqual([["TENANT_SUSPENDED"], ["next", "next", "complete"]]);
    expect(stream.results.at(-1)?.errors?.[0]?.extensions.cursor).toBe(cursor);
    expect(stream.events.at(-2)?.id).toBe(cursor);
    const refused = await follow({ token: itsToken });
    expect([refused.status, refused.problem?.code]).toEqual([403, "TENANT_SUSPENDED"]);
    await register("For the stranger");
    await eventually("the stranger's stream is open", () => strangers.results.length === 1);
    await strangers.stop();
  });
});
