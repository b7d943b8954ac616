import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Principal } from "@factory/runtime/auth/principal";
import { type FastifyInstance, fastify } from "fastify";
import { EventStreams, type StreamLimits } from "./event-streams.js";
import type { FeatureFlags, FlagChange } from "./feature-flags.js";

const tenantId = "ten_01jz3b0q8xk0n8v3m1w6y5t2r7";

/** A port whose changes the test makes. */
class ChangingFlags implements Pick<FeatureFlags, "versionOf" | "watch"> {
  #tell: (change: FlagChange) => void = () => undefined;

  async versionOf(): Promise<number> {
    return 3;
  }

  watch(tell: (change: FlagChange) => void): () => void {
    this.#tell = tell;
    return () => undefined;
  }

  change(version: number, of = tenantId): void {
    this.#tell({ tenantId: of, version });
  }
}

let flags: ChangingFlags;
let streams: EventStreams;
let app: FastifyInstance;
let validTokens: Set<string>;

async function start(limits: Partial<StreamLimits> = {}): Promise<void> {
  flags = new ChangingFlags();
  validTokens = new Set(["a", "b"]);
  const verifier = {
    verify: async (token: string) => {
      if (!validTokens.has(token)) throw new Error("The token was revoked");
      return principal(token);
    },
  };
  streams = new EventStreams(flags as unknown as FeatureFlags, verifier, limits);
  app = fastify();
  app.get("/streams", (request, reply) => {
    const { subject = "a", seconds = "900" } = request.query as Record<string, string>;
    return streams.open({ ...principal(subject), expiresAt: Date.now() / 1000 + Number(seconds) }, request, reply);
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
}

afterEach(async () => {
  streams.close();
  app.server.closeAllConnections();
  await app.close();
});

const principal = (subject: string): Principal => ({
  ...{
    subject,
    clientId: subject,
    tenantId,
    tenantSlug: undefined,
    scopes: new Set<string>(),
    principalType: "Service",
  },
  ...{ platformAdmin: false, agentTaskId: undefined, roles: [], tokenId: subject, expiresAt: 0 },
});

interface Reader {
  readonly status: number | undefined;
  readonly text: () => string;
  readonly ended: Promise<unknown>;
  readonly response: IncomingMessage;
}

async function read(subject = "a", query = ""): Promise<Reader> {
  const { port } = app.server.address() as AddressInfo;
  const headers = { authorization: `Bearer ${subject}` };
  const request = httpRequest({ port, path: `/streams?subject=${subject}${query}`, headers, agent: false });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let text = "";
  response.on("data", (chunk: Buffer) => (text += chunk.toString()));
  response.on("error", () => undefined);
  return { status: response.statusCode, text: () => text, ended: once(response, "close"), response };
}

async function until(condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 180_000; !condition(); await new Promise((resolve) => setTimeout(resolve, 5)))
    if (Date.now() > deadline) throw new Error("It did not happen in time");
}

const eventsIn = ({ text }: Reader) => [...text().matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

describe("EventStreams", () => {
  it("tells the version at the beginning, and each later one once", async () => {
    await start({ pauseMs: 0 });
    const reader = await read();
    await until(() => eventsIn(reader).length === 1);
    flags.change(4);
    await until(() => eventsIn(reader).length === 2);
    flags.change(4);
    flags.change(9, "ten_other");
    flags.change(5);
    await until(() => eventsIn(reader).length === 3);
    expect(eventsIn(reader)).toEqual([3, 4, 5]);
    expect(reader.text()).toContain('data: {"type":"refetchEvaluation","etag":"\\"5\\""}\n\n');
    expect(reader.response.headers["content-type"]).toBe("text/event-stream");
  });

  it("tells of many changes at once", async () => {
    await start({ pauseMs: 100 });
    const reader = await read();
    await until(() => eventsIn(reader).length === 1);
    for (let version = 4; version <= 500; version += 1) flags.change(version);
    await until(() => eventsIn(reader).at(-1) === 500);
    expect(eventsIn(reader).length).toBeLessThan(5);
  });

  it("keeps an idle stream open with comments", async () => {
    await start({ heartbeatMs: 20 });
    const reader = await read();
    await until(() => reader.text().endsWith(":\n\n:\n\n"));
  });

  it("ends with its token", async () => {
    await start();
    const reader = await read("a", "&seconds=0.2");
    await reader.ended;
    expect(reader.status).toBe(200);
  });

  it("ends after a revocation that concerns its token, and no other stream does", async () => {
    await start();
    const [revokedStream, other] = [await read("a"), await read("b")];
    validTokens.delete("a");
    streams.revoked({ kind: "Principal", subject: "a", version: 1 });
    streams.revoked({ kind: "Principal", subject: "b", version: 1 });
    await revokedStream.ended;
    expect(other.response.destroyed).toBe(false);
  });

  it("ends at the stop, and refuses new ones", async () => {
    await start();
    const reader = await read();
    streams.close();
    await reader.ended;
    expect((await read()).status).toBe(500);
  });

  it("limits the streams of a principal and of a tenant, until one has ended", async () => {
    await start({ maxPerPrincipal: 2, maxPerTenant: 3 });
    const [first] = [await read("a"), await read("a")];
    expect((await read("a")).status).toBe(500);
    await read("b");
    expect((await read("b")).status).toBe(500);
    first?.response.destroy();
    for (let status: number | undefined = 500; status !== 200; ) status = (await read("b")).status;
    expect((await read("a")).status).toBe(500);
  });
});
