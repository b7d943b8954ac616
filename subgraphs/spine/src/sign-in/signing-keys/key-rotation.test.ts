import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { TokenVerifier } from "@factory/runtime/auth/token-verifier";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { jest } from "@jest/globals";
import { decodeProtectedHeader, type JSONWebKeySet } from "jose";
import { platformAdmin, RunningSpine, testSettings, until } from "../../running-spine.fixture.js";
import { type Spine, startSpine } from "../../subgraph.js";
import { ActiveSigningKeys } from "./active-signing-keys.js";

let platform: RunningSpine;
/** Another process on the same database. */
let second: Spine;
let servers: Server[];
let bases: string[];
let ahead = 0;

const realNow = Date.now.bind(Date);
const minute = 60_000;
const { issuer } = testSettings;

beforeAll(async () => {
  platform = await RunningSpine.start();
  second = await startSpine(platform.host, testSettings);
  servers = [platform.spine, second].map(({ authorizationServer }) =>
    createServer((request, response) => authorizationServer.handle(request, response)),
  );
  bases = await Promise.all(servers.map(listening));
});

beforeEach(() => {
  jest.spyOn(Date, "now").mockImplementation(() => realNow() + ahead);
});

afterAll(async () => {
  jest.restoreAllMocks();
  for (const server of servers ?? []) server.close();
  await second?.close();
  await platform?.stop();
});

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function tokenFrom(base = bases[0]): Promise<string> {
  const { clientId, clientSecret = "" } = platform.spine.bootstrap;
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
  });
  const response = await fetch(`${base}/connect/token`, { method: "POST", body });
  const { access_token: token } = (await response.json()) as { access_token: string };
  return token;
}

const kidOf = (token: string) => decodeProtectedHeader(token).kid;
const publishedKeys = async (base = bases[0]) =>
  (await (await fetch(`${base}/.well-known/jwks`)).json()) as JSONWebKeySet & { keys: { kid: string }[] };
const kids = async (base = bases[0]) => (await publishedKeys(base)).keys.map(({ kid }) => kid);

/** Reads the published keys as a proxy lets it: up to ten minutes old. */
function aDistantVerifier(base = bases[0]): TokenVerifier {
  let cachedKeySet: JSONWebKeySet | undefined;
  let readAt = 0;
  return new TokenVerifier({
    issuer,
    audience: issuer,
    keys: async () => {
      if (cachedKeySet && Date.now() - readAt < 10 * minute) return cachedKeySet;
      readAt = Date.now();
      cachedKeySet = await publishedKeys(base);
      return cachedKeySet;
    },
    tenantExists: async () => true,
    clock: () => Date.now(),
  });
}

function aVerifierOf({ authorizationServer }: Spine): TokenVerifier {
  const verifier = new TokenVerifier({
    issuer,
    audience: issuer,
    keys: () => authorizationServer.jwks(),
    tenantExists: async () => true,
    clock: () => Date.now(),
  });
  authorizationServer.onKeysChanged(() => verifier.keysChanged());
  return verifier;
}

async function rotate(immediately: boolean | null = null) {
  const { data, errors } = await platform.ask(
    platformAdmin(),
    "mutation ($now: Boolean) { rotateSigningKeys(input: { immediately: $now }) { keyId signsFrom } }",
    { now: immediately },
  );
  if (!data) throw new Error(JSON.stringify(errors));
  return data["rotateSigningKeys"] as { keyId: string; signsFrom: string };
}

/** Reasons and keys for the rotations that events told about. */
async function told(): Promise<{ keyId: unknown; reason: unknown; actor: string | undefined }[]> {
  const events = (await platform.eventsOf(platformTenantId)).filter(({ type }) => type === "SigningKeyRotated");
  return events.map(({ data, actorid }) => ({ keyId: data["keyId"], reason: data["reason"], actor: actorid }));
}

/** Both processes read the keys, as they do every minute and at each notification. */
async function looked(): Promise<void> {
  for (const spine of [platform.spine, second]) await spine.get(ActiveSigningKeys).refresh();
}

describe("a rotation of signing keys", () => {
  it("refuses no good token before, during or after it, in no process and behind no cache", async () => {
    const verifiers = [
      aVerifierOf(platform.spine),
      aVerifierOf(second),
      aDistantVerifier(),
      aDistantVerifier(bases[1]),
    ];
    const living: { token: string; at: number }[] = [];
    const signers = new Set<string | undefined>();
    const before = kidOf(await tokenFrom());
    let next = "";
    for (let passedMinutes = -5; passedMinutes <= 90; passedMinutes += 2.5) {
      ahead = (passedMinutes + 5) * minute;
      if (passedMinutes === 0) next = (await rotate()).keyId;
      await looked();
      for (const base of bases) {
        const token = await tokenFrom(base);
        signers.add(kidOf(token));
        living.push({ token, at: passedMinutes });
      }
      for (const { token } of living.filter(({ at }) => passedMinutes - at < 15))
        for (const verifier of verifiers) await expect(verifier.verify(token)).resolves.toBeDefined();
      if (passedMinutes > 0 && passedMinutes < 11) expect(kidOf(await tokenFrom())).toBe(before);
      if (passedMinutes > 12) expect(kidOf(await tokenFrom())).toBe(next);
      if (passedMinutes > 0 && passedMinutes < 70) expect(new Set(await kids())).toEqual(new Set([before, next]));
    }
    expect([...signers]).toEqual([before, next]);
    expect([await kids(), await kids(bases[1])]).toEqual([[next], [next]]);
    // the first key took nobody's place
    expect(await told()).toEqual([{ keyId: next, reason: "Requested", actor: "cli_test" }]);
  });

  it("is not begun again while the next key waits for its turn", async () => {
    const before = await told();
    const [once, twice] = [await rotate(), await rotate()];
    expect(twice).toEqual(once);
    expect((await told()).slice(before.length)).toEqual([expect.objectContaining({ keyId: once.keyId })]);
    expect(Date.parse(once.signsFrom) - Date.now()).toBeGreaterThan(600_000);
    ahead += 90 * minute;
    await looked();
  });

  it("comes by itself after 90 days", async () => {
    const [old] = await kids();
    ahead += 89 * 24 * 60 * minute;
    await looked();
    expect(await kids()).toEqual([old]);
    ahead += 24 * 60 * minute;
    await looked();
    await until(async () => (await kids()).length === 2 && (await kids(bases[1])).length === 2);
    expect(kidOf(await tokenFrom())).toBe(old);
    expect(await kids(bases[1])).toEqual(await kids());
    ahead += 12 * minute;
    await looked();
    const signing = kidOf(await tokenFrom());
    expect(signing).not.toBe(old);
    expect((await told()).at(-1)).toEqual({ keyId: signing, reason: "Age", actor: "authorization-server" });
  });

  it("at once refuses what the leaked key signed and takes what the next one signs", async () => {
    const verifier = aVerifierOf(platform.spine);
    const elsewhere = aVerifierOf(second);
    const leakedToken = await tokenFrom();
    await verifier.verify(leakedToken);
    await elsewhere.verify(leakedToken);
    const { keyId } = await rotate(true);
    expect((await told()).at(-1)).toEqual({ keyId, reason: "Requested", actor: "cli_test" });
    const fresh = await tokenFrom();
    expect(kidOf(fresh)).toBe(keyId);
    await expect(verifier.verify(fresh)).resolves.toBeDefined();
    await expect(verifier.verify(leakedToken)).rejects.toMatchObject({ code: "TOKEN_INVALID" });
    expect(await kids()).toEqual([keyId]);
    await until(async () => kidOf(await tokenFrom(bases[1])) === keyId);
    await expect(elsewhere.verify(fresh)).resolves.toBeDefined();
    await expect(elsewhere.verify(leakedToken)).rejects.toMatchObject({ code: "TOKEN_INVALID" });
    const { rows } = await platform.admin.query("select count(*)::int as count from signing_keys");
    expect(rows[0].count).toBe(1);
  });

  it("is for administrators of the platform", async () => {
    const { refusal } = await platform.ask(
      platformAdmin({ platformAdmin: false }),
      "mutation { rotateSigningKeys { keyId } }",
    );
    expect(refusal?.["code"]).toBe("PLATFORM_ADMIN_REQUIRED");
  });
});
