import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  accessToken,
  type ClientCredentials,
  createTenantClient,
  ensureTenant,
  readJson,
} from "@factory/platform/client/platform-api";
import {
  type PlatformProcess,
  removeData,
  startPlatformProcess,
  temporaryDataDirectory,
} from "@factory/platform/client/platform-process";
import { anInboundSource, asSpecified, aVendorSecret, type InboundSource } from "../kit/inbound-sources.js";
import { refusal } from "../kit/refusal.js";
import { request } from "../kit/request.js";

type Entry = readonly [line: string, init?: RequestInit];

const form = (fields: Record<string, string>): RequestInit => ({ method: "POST", body: new URLSearchParams(fields) });
const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/**
 * Entries that run a statement or write a row without a token, grouped by the limit that they share, with the number of
 * requests that the limit allows.
 */
const limitGroups: readonly (readonly [count: string, passing: number, entries: readonly Entry[]])[] = [
  [
    "the pages of a sign-in, 240 in a minute",
    240,
    [
      ["/connect/authorize?client_id=cli_1&response_type=code"],
      ["/v1/connect/authorize?client_id=cli_1"],
      ["/connect/authorize", form({ client_id: "cli_1" })],
      ["/connect/authorize/0123456789abcdef"],
      ["/connect/interaction/0123456789abcdef"],
      ["/connect/interaction/0123456789abcdef", form({ action: "sign-in" })],
      ["/connect/logout"],
      ["/connect/logout", form({ action: "sign-out" })],
      ["/connect/security"],
      ["/connect/security", form({ action: "remove-factor" })],
      ["/connect/second-factor-lock?token=x"],
      ["/connect/second-factor-lock", form({ token: "x" })],
    ],
  ],
  [
    "the endpoints for clients without proof, 600 in a minute",
    600,
    [
      ["/connect/token", form({ grant_type: "client_credentials", client_id: "cli_1" })],
      ["/v1/connect/token", form({ grant_type: "refresh_token", client_id: "cli_2" })],
      ["/connect/revocation", form({ token: "x", client_id: "cli_1" })],
      ["/connect/introspect", form({ token: "x", client_id: "cli_1" })],
      ["/connect/userinfo", { headers: { authorization: "Bearer x" } }],
    ],
  ],
  [
    "the pages of a password reset, 30 in 15 minutes",
    30,
    [
      ["/connect/password-reset"],
      ["/connect/password-reset?token=x"],
      ["/connect/password-reset", form({ email: "x" })],
      ["/v1/connect/password-reset", form({ token: "x", password: "correct horse battery" })],
    ],
  ],
  [
    "the page of an invitation, 60 in 15 minutes",
    60,
    [["/connect/invitation?token=x"], ["/connect/invitation", form({ token: "x" })]],
  ],
  [
    "wrong links to unsubscribe, 60 in 15 minutes",
    60,
    [["/connect/unsubscribe?token=x"], ["/connect/unsubscribe", form({ token: "x", "List-Unsubscribe": "One-Click" })]],
  ],
  [
    "requests without a token, 30 in a minute",
    30,
    [
      ["/v1/users/invitations/accept", json({ token: "x", password: "correct horse battery" })],
      ["/v1/password-resets", json({ email: "x" })],
      ["/v1/password-resets/complete", json({ token: "x", password: "correct horse battery" })],
      ["/graphql", json({ query: "{ __typename }" })],
      [`/integrations/oauth/start/${"x".repeat(43)}`],
      [`/integrations/oauth/start/${"x".repeat(43)}`, form({ formToken: "x" })],
      [`/integrations/oauth/callback/prv_1?state=${"x".repeat(43)}`],
    ],
  ],
];

/** Entries without a limit. They are answered from memory; the test proves it with a stopped database. */
const fromMemory: readonly (readonly [status: number, ...entry: Entry])[] = [
  [200, "/livez"],
  [200, "/openapi.json"],
  [200, "/asyncapi.json"],
  [200, "/docs"],
  [200, "/docs/events"],
  [200, "/docs/guides"],
  [200, "/docs/guides/catalog"],
  [200, "/problems/not-found"],
  [200, "/schemas/events/TemplateExecuted"],
  [200, "/.well-known/openid-configuration"],
  [200, "/.well-known/oauth-authorization-server"],
  [200, "/v1/.well-known/jwks"],
  [404, "/.well-known/nothing"],
  [404, "/connect/nothing"],
  [405, "/connect/token"],
  [302, "/"],
  [404, "/nowhere"],
  [405, "/v1/templates/tpl_1", { method: "PUT" }],
  [204, "/v1/templates/tpl_1", { method: "OPTIONS" }],
  [401, "/v1/templates/tpl_1"],
  [401, "/v1/templates/tpl_1", { headers: { authorization: "Bearer nonsense" } }],
  [401, "/v1/templates", json({ name: "a" })],
  [401, "/v1/tenants"],
  [401, "/git/acme/owner/name.git/info/refs?service=git-upload-pack"],
  [401, "/git/nothing"],
];

describe("entries that need no token", () => {
  let platform: PlatformProcess;
  let dataDir: string;
  /** A vendor whose deliveries are accepted. */
  let source: InboundSource;

  beforeAll(async () => {
    dataDir = await temporaryDataDirectory();
    platform = await startPlatformProcess(dataDir);
    source = await aSource();
  });
  afterAll(async () => {
    await platform.stop();
    await removeData(dataDir);
  });

  /** Its tokens are fetched before this address reaches its limits. */
  async function aSource(): Promise<InboundSource> {
    const base = platform.publicUrl;
    const admin = await accessToken(platform, await readJson<ClientCredentials>(dataDir, "bootstrap.json"));
    const { tenantId } = await ensureTenant(platform, admin, "delivered", "delivered");
    const scopes = [
      "integration.providers.write",
      "integration.credentials.write",
      "webhooks.subscriptions.write",
    ] as const;
    const client = await createTenantClient(platform, admin, tenantId, { name: "test", scopes: [...scopes] });
    return anInboundSource(await accessToken(platform, client), { base });
  }

  const ask = async ([path, init]: Entry) => {
    const response = await fetch(platform.publicUrl + path, { redirect: "manual", ...init });
    await response.arrayBuffer();
    return response;
  };

  it.each(limitGroups)("one address cannot fill the database or keep it busy: %s", async (_count, passing, entries) => {
    let passCount = 0;
    let refusedAnswer: Response | undefined;
    for (let sentCount = 0; sentCount < passing + 40; sentCount += 20) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => ask(entries[(sentCount + index) % entries.length] as Entry)),
      );
      for (const answer of answers) {
        if (answer.status === 429) refusedAnswer = answer;
        else passCount += 1;
      }
    }
    expect(passCount).toBe(passing);
    expect(Number(refusedAnswer?.headers.get("retry-after"))).toBeGreaterThan(0);
    for (const entry of entries) expect([entry[0], (await ask(entry)).status]).toEqual([entry[0], 429]);
  });

  it("one address and key of a provider get 429 with Retry-After after 120 failed deliveries in a minute", async () => {
    const base = platform.publicUrl;
    const forgery = { ...source, secret: aVendorSecret() };
    const send = (by: InboundSource, query = "") => {
      const delivery = { providerDeliveryId: `limited${query}`, eventName: "widget.created", payload: {} };
      const { headers, raw } = asSpecified(by, delivery);
      return request(`POST /webhooks/deliveries${query}`, { base, headers, raw });
    };
    for (let failures = 0; failures < 120; failures += 1) expect((await send(forgery)).status).toBe(401);
    const limitedAnswer = await send(forgery);
    expect([refusal(limitedAnswer), refusal(await send(source))]).toEqual(["429 RATE_LIMITED", "429 RATE_LIMITED"]);
    const seconds = Number(limitedAnswer.headers.get("retry-after"));
    expect([seconds > 0, seconds <= 60]).toEqual([true, true]);
    // failures by an address and a key block no delivery that has a resource hint
    expect((await send(source, `?subscription=${source.subscriptionId}`)).status).toBe(202);
  });

  it("an endpoint without a rate limit answers while the database is locked, so it does not use the database", async () => {
    const frozen = await postgresProcesses(dataDir);
    for (const pid of frozen) process.kill(pid, "SIGSTOP");
    try {
      for (const [status, ...entry] of fromMemory) {
        const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await ask(entry)).status));
        expect([entry[0], ...new Set(statuses)]).toEqual([entry[0], status]);
      }
    } finally {
      for (const pid of frozen) process.kill(pid, "SIGCONT");
    }
  });
});

/** The process ids of the server and its children, which run the statements. */
async function postgresProcesses(dataDir: string): Promise<number[]> {
  const { pid } = JSON.parse(await readFile(join(dataDir, "postgres.json"), "utf8")) as { pid: number };
  const processes = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const children = await Promise.all(
    processes.map(async (name) => {
      const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
      return stat.slice(stat.lastIndexOf(")")).split(" ")[2] === String(pid) ? [Number(name)] : [];
    }),
  );
  return [pid, ...children.flat()];
}
