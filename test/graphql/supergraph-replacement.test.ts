import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { call, ensureTenant } from "@factory/platform/client/platform-api";
import type { PlatformProcess } from "@factory/platform/client/platform-process";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { eventually } from "../kit/eventually.js";
import { PlatformHome } from "../kit/platform-home.js";

const committedFile = fileURLToPath(import.meta.resolve("@factory/schema/supergraph.graphql"));

let home: PlatformHome;
let file: string;
let sdl: string;
let platform: PlatformProcess;
let token: string;
const log: string[] = [];

/** A supergraph that differs only in a description, which introspection shows. */
const revision = (text: string, change: (sdl: string) => string = (source) => source) =>
  change(sdl).replace("\ntype Query\n", `\n"""${text}"""\ntype Query\n`);

/** Replaces the first fields of the type Template. */
const withTemplate = (fields: string) => (text: string) =>
  text.replace(/ {2}category: String @join__field\(graph: CATALOG\)\n {2}createdAt/, fields);

beforeAll(async () => {
  home = await PlatformHome.open();
  file = join(home.dataDir, "supergraph.graphql");
  sdl = await readFile(committedFile, "utf8");
  await writeFile(file, revision("first"));
  const settings = { RATE_LIMIT_FACTOR: "1000", SUPERGRAPH_FILE: file };
  platform = await home.start(settings, (line) => log.push(line));
  token = await home.adminToken(platform);
});

afterAll(async () => {
  await platform.stop();
  await home.close();
});

async function graphql<T>(query: string): Promise<T> {
  const { body } = await call<{ data?: T; errors?: unknown }>("POST", `${platform.publicUrl}/graphql`, {
    token,
    body: { query },
  });
  if (!body.data || body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
}

const servedDescription = async () =>
  (await graphql<{ __type: { description: string } }>('{ __type(name: "Query") { description } }')).__type.description;

async function metric(name: string): Promise<number> {
  const response = await fetch(`${platform.internalUrl}/metrics`);
  const line = (await response.text()).split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.split(" ").at(-1));
}

const refusalCount = () => metric('supergraph_replacements_total{outcome="refused"}');

/** Writes another supergraph to the file and sends SIGHUP, so that the platform reads it at once. */
async function give(text: string): Promise<void> {
  await writeFile(file, text);
  process.kill(platform.pid, "SIGHUP");
}

interface Load {
  readonly failures: string[];
  answered: number;
  stop(): Promise<void>;
}

/** Sends every kind of request at the same time, again and again. */
function underLoad(): Load {
  let isOver = false;
  const load = { failures: [] as string[], answered: 0 };
  const again = async (ask: () => Promise<unknown>) => {
    while (!isOver) {
      await ask().then(
        () => (load.answered += 1),
        (error: Error) => load.failures.push(error.message),
      );
      // more requests would slow down the platform while it compiles the next graph
      await sleep(100);
    }
  };
  const socket = client();
  const loops = [
    () => graphql("{ tenants(first: 1) { items { tenantId } } }"),
    // each document is planned anew, some while the graph is replaced
    () => graphql(`{ a${Math.random().toString(36).slice(2)}: tenants(first: 1) { items { slug } } }`),
    () => call("GET", `${platform.publicUrl}/v1/tenants?slug=none`, { token }),
    async () => {
      for await (const { errors } of socket.iterate({ query: "{ tenants(first: 1) { items { tenantId } } }" }))
        if (errors) throw new Error(JSON.stringify(errors));
    },
  ].map(again);
  return Object.assign(load, {
    async stop() {
      isOver = true;
      await Promise.all(loops);
      await socket.dispose();
    },
  });
}

const client = () =>
  createClient({
    url: `${platform.publicUrl.replace("http", "ws")}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  });

interface FeedMessage {
  readonly data?: { readonly events: { readonly type: string; readonly cursor: string } } | null;
  readonly errors?: readonly { readonly extensions: { readonly code: string; readonly cursor: string } }[];
}

/** Collects the messages from an event subscription until it ends. */
function follow(after?: string): { messages: FeedMessage[]; ended: Promise<void> } {
  const socket = client();
  const messages: FeedMessage[] = [];
  const query = "subscription ($after: String) { events(after: $after) { type cursor } }";
  const end = (async () => {
    for await (const result of socket.iterate({ query, variables: { after } })) messages.push(result as never);
    await socket.dispose();
  })();
  return { messages, ended: end };
}

describe("SUPERGRAPH_FILE of a running platform", () => {
  it("is used from the start", async () => {
    expect(await servedDescription()).toBe("first");
  });

  it("is replaced under load without a failed request, on SIGHUP and when the file changes, and subscriptions resume after their cursor", async () => {
    const load = underLoad();
    const { messages, ended } = follow();
    await eventually("it follows", async () => {
      await ensureTenant(platform, token, `heard-${Math.random().toString(36).slice(2)}`, "Heard");
      return messages.length > 0;
    });
    await give(revision("second"));
    await eventually("the second supergraph is in use", async () => (await servedDescription()) === "second");
    await writeFile(file, revision("third"));
    await eventually("the third supergraph is in use", async () => (await servedDescription()) === "third");
    await ended;
    const { code, cursor } = messages.at(-1)?.errors?.[0]?.extensions ?? { code: "", cursor: "" };
    expect(code).toBe("UNAVAILABLE");
    const cursors = messages.flatMap(({ data }) => (data ? [data.events.cursor] : []));
    expect(cursor).toBe(cursors.at(-1));
    const secondFeed = follow(cursor);
    await ensureTenant(platform, token, "heard-again", "Heard again");
    await eventually("the next events come", () => secondFeed.messages.length > 0);
    expect(Number(secondFeed.messages[0]?.data?.events.cursor)).toBeGreaterThan(Number(cursor));
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(load.answered).toBeGreaterThan(100);
    expect(await metric('supergraph_replacements_total{outcome="replaced"}')).toBe(2);
  });

  it.each([
    [
      "that asks the catalog for a field which it lacks",
      () => revision("bad", withTemplate("  nothing: Int @join__field(graph: CATALOG)\n  createdAt")),
      'The subgraph \\"catalog\\" has no field \\"Template.nothing\\".',
    ],
    [
      "that lacks a field of a stored REST document",
      () => revision("bad", withTemplate("  createdAt")),
      'Cannot query field \\"category\\" on type \\"Template\\".',
    ],
  ])(
    "refuses new content %s: the current supergraph stays in use, and the platform stays ready",
    async (_, text, reason) => {
      const before = await refusalCount();
      await give(text());
      const isReason = (line: string) => line.includes("the new supergraph was refused") && line.includes(reason);
      await eventually("it is refused for its reason", () => log.some(isReason));
      expect(await refusalCount()).toBeGreaterThan(before);
      expect(await servedDescription()).toBe("third");
      expect((await fetch(`${platform.publicUrl}/readyz`)).status).toBe(200);
    },
  );

  it("releases the memory of replaced graphs", async () => {
    await give(revision("fourth"));
    await eventually("the fourth supergraph is in use", async () => (await servedDescription()) === "fourth");
    await eventually("only one graph is in memory", async () => (await metric("supergraph_live_graphs")) === 1);
  });
});
