import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { anEventStream } from "../kit/event-stream.js";
import { eventually } from "../kit/eventually.js";
import { PlatformHome } from "../kit/platform-home.js";
import { aRawSocket } from "../kit/raw-socket.js";
import { graphql, request } from "../kit/request.js";

const me = "query Me { me { subject } }";
const events = 'subscription Events { events(types: ["TenantRegistered"], after: "0") { type cursor } }';
const rename = 'mutation Rename { renameTemplate(input: { templateId: "tpl_x", name: "x" }) { name } }';
const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");
const idOf = (text: string) => `sha256:${digestOf(text)}`;
const persistedQuery = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: digestOf(text) } });
const manifest = {
  format: "apollo-persisted-query-manifest",
  version: 1,
  operations: [me, events].map((body) => ({ id: digestOf(body), name: "x", type: "query", body })),
};

interface Answer {
  readonly data?: { readonly me: { readonly subject: string } };
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

const codesOf = ({ errors = [] }: Answer) => errors.map(({ extensions }) => extensions.code);
const unknown = ["PERSISTED_QUERY_NOT_FOUND"];

let folder: string;
let home: PlatformHome;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "documents-"));
  home = await PlatformHome.open();
});

afterAll(async () => {
  await home.close();
  await rm(folder, { recursive: true });
});

async function fileOf(content: unknown): Promise<string> {
  const file = join(folder, `${digestOf(JSON.stringify(content))}.json`);
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

describe("a platform without persisted documents", () => {
  it("knows no documentId", async () => {
    const accept = "application/graphql-response+json";
    const { status, body } = await request<Answer>("POST /graphql", {
      body: { documentId: idOf(me) },
      headers: { accept },
    });
    expect([status, codesOf(body)]).toEqual([400, unknown]);
  });
});

describe("a platform that serves persisted documents only", () => {
  let platform: PlatformProcess;
  let token: string;

  beforeAll(async () => {
    const PERSISTED_DOCUMENTS = await fileOf(manifest);
    platform = await home.start({ PERSISTED_DOCUMENTS, PERSISTED_DOCUMENTS_ONLY: "true", RATE_LIMIT_FACTOR: "1000" });
    home.use(platform);
    token = await home.adminToken(platform);
  });

  afterAll(() => platform.stop());

  const post = (body: Record<string, unknown>) => request<Answer>("POST /graphql", { token, body });
  const get = (parameters: Record<string, string>) =>
    request<Answer>(`GET /graphql?${new URLSearchParams(parameters).toString()}`, { token });

  it("runs them by documentId, by Apollo's hash and by their own text", async () => {
    const answers = [
      await post({ documentId: idOf(me) }),
      await post({ documentId: idOf(me), operationName: "Me", variables: {}, extensions: {} }),
      await post({ extensions: persistedQuery(me) }),
      await post({ query: me, extensions: persistedQuery(me) }),
      await post({ query: me }),
      await get({ documentId: idOf(me) }),
      await get({ extensions: JSON.stringify(persistedQuery(me)) }),
      await get({ query: me }),
    ];
    for (const { status, body } of answers)
      expect([status, body]).toEqual([200, { data: { me: { subject: expect.any(String) } } }]);
  });

  it("refuses everything else, and keeps no document that a client sends with its hash", async () => {
    const other = "{ me { clientId } }";
    for (const body of [
      { query: other },
      { query: `${me} ` },
      { query: "{ __schema { queryType { name } } }" },
      { query: "{ __typename }" },
      { query: other, extensions: persistedQuery(other) },
      { extensions: persistedQuery(other) },
      { documentId: idOf(other) },
      { documentId: idOf(other), query: me },
    ]) {
      const answer = await post(body);
      expect([answer.status, codesOf(answer.body), answer.body.data]).toEqual([200, unknown, undefined]);
    }
    expect(codesOf((await get({ query: other })).body)).toEqual(unknown);
    const { status } = await graphql(other, { token });
    expect(status).toBe(400);
  });

  it.each([
    ["a documentId that is a number", { documentId: 7 }],
    ["nothing", {}],
    ["a query that is a list", { query: [me] }],
    ["a hash that is an object", { extensions: { persistedQuery: { version: 1, sha256Hash: {} } } }],
    ["extensions that are a list", { extensions: [1] }],
    ["two parameters of one name", "query=x&query=y"],
  ])("is not confused by %s", async (_, body) => {
    const answer =
      typeof body === "string" ? await request<Answer>(`GET /graphql?${body}`, { token }) : await post(body);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body.data).toBeUndefined();
  });

  it("serves them over event streams and websockets", async () => {
    const raw = JSON.stringify({ documentId: idOf(events) });
    const stream = await anEventStream({ query: "", token, raw });
    expect(stream.status).toBe(200);
    await stream.stop();
    const refusedStream = await anEventStream<Answer>({ query: "subscription { events { type } }", token });
    await refusedStream.ended;
    expect(codesOf(refusedStream.results[0] as Answer)).toEqual(unknown);
    const socket = await aRawSocket();
    socket.send({ type: "connection_init", payload: { authorization: `Bearer ${token}` } });
    await eventually("it is acknowledged", () => socket.messages.length > 0);
    socket.send({ type: "subscribe", id: "1", payload: { query: "", documentId: idOf(me) } });
    socket.send({ type: "subscribe", id: "2", payload: { query: "", extensions: persistedQuery(me) } });
    socket.send({ type: "subscribe", id: "3", payload: { query: "{ __typename }" } });
    const of = (id: string) => socket.messages.find((message) => message.id === id);
    await eventually("all are answered", () => ["1", "2", "3"].every((id) => of(id) !== undefined));
    expect(of("1")?.payload).toEqual({ data: { me: { subject: expect.any(String) } } });
    expect(of("2")?.payload).toEqual(of("1")?.payload);
    expect([of("3")?.type, codesOf({ errors: of("3")?.payload as Answer["errors"] & {} })]).toEqual(["error", unknown]);
    socket.close();
  });

  it("shows no GraphiQL, and serves REST as before", async () => {
    const page = await request("GET /graphql", { headers: { accept: "text/html" } });
    expect(page.text).not.toContain("<html");
    expect((await request("GET /v1/tenants", { token })).status).toBe(200);
  });
});

describe("a start with a broken file", () => {
  it.each([
    ["no JSON", "{", "It is not JSON"],
    ["an id that is not the document's digest", { [idOf(events)]: me }, "is not the SHA-256 of its document"],
    ["a document that is no GraphQL", { short: "query {" }, "The document short cannot be parsed: Syntax Error"],
    ["a document that the graph does not know", { short: rename }, "The document short does not fit the graph"],
  ])("ends with 78 and names the file and the reason: %s", async (_, content, reason) => {
    const file = await fileOf(content);
    const lines: string[] = [];
    const start = home.start({ PERSISTED_DOCUMENTS: file }, (line) => lines.push(line));
    await expect(start).rejects.toThrow("ended with 78");
    expect(lines.at(-1)).toContain(`PERSISTED_DOCUMENTS=${file} cannot be used`);
    expect(lines.at(-1)).toContain(reason);
  });
});
