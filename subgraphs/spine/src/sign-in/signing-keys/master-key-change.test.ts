import { createCipheriv } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import { ValueSeal } from "@factory/runtime/sealing/value-seal";
import { AuditKeys } from "../../audit-log/audit-keys.js";
import { platformAdmin, RunningSpine, testSettings } from "../../running-spine.fixture.js";
import { startSpine } from "../../subgraph.js";

let platform: RunningSpine;

beforeAll(async () => {
  platform = await RunningSpine.start({ masterKeys: someMasterKeys(7) });
});
afterAll(() => platform.stop());

const sealedKeys = async () =>
  (await platform.admin.query<{ sealed: string }>("select sealed_private_key as sealed from signing_keys")).rows.map(
    ({ sealed }) => sealed,
  );
const startsWith = async (...numbers: [number, ...number[]]) => {
  const spine = await startSpine(platform.host, { ...testSettings, masterKeys: someMasterKeys(...numbers) });
  await spine.close();
  return spine.bootstrap;
};
const keyIdOf = (number: number) => someMasterKeys(number).keyring("factory spine signing keys").newest.id;

describe("signing keys and the administrator's client", () => {
  it("that an earlier release sealed without a key id are resealed when they are read", async () => {
    const { rows } = await platform.admin.query("select key_id, sealed_private_key as sealed from signing_keys");
    const [{ key_id: keyId, sealed }] = rows;
    const keys = someMasterKeys(7).keyring("factory spine signing keys");
    const { text } = new ValueSeal(keys).open(sealed, keyId);
    const cipher = createCipheriv("aes-256-gcm", keys.newest.bytes, Buffer.alloc(12, 1)).setAAD(Buffer.from(keyId));
    const body = Buffer.concat([cipher.update(text), cipher.final()]);
    const former = Buffer.concat([Buffer.alloc(12, 1), cipher.getAuthTag(), body]).toString("base64url");
    await platform.admin.query("update signing_keys set sealed_private_key = $1", [former]);
    await startsWith(7);
    const [resealedKey = ""] = await sealedKeys();
    expect(resealedKey).not.toBe(former);
    expect(new ValueSeal(keys).open(resealedKey, keyId)).toEqual({ text, resealed: undefined });
  });

  it("survive a new master key, and then do without the former one", async () => {
    const { clientId, clientSecret } = platform.spine.bootstrap;
    expect(await startsWith(8, 7)).toEqual({ clientId, clientSecret });
    expect(await sealedKeys()).toEqual([expect.stringMatching(`^${keyIdOf(8)}\\.`)]);
    // the secret is still valid, but cannot be derived any longer
    expect(await startsWith(8)).toEqual({ clientId });
    await expect(startsWith(7)).rejects.toThrow(/cannot be opened with the configured SECRETS_KEY/);
  });
});

describe("keys that sign the audit log", () => {
  it("are resealed when they are read, and then do without the former master key", async () => {
    const keysOf = (...numbers: [number, ...number[]]) =>
      new AuditKeys(platform.admin, new ValueSeal(someMasterKeys(...numbers).keyring("factory spine audit keys")));
    await platform.admin.query("delete from audit_keys");
    const { keyId, privateJwk } = await keysOf(7).signing(new Date());
    const both = keysOf(8, 7);
    await both.load();
    expect(both.published).toMatchObject([{ kid: keyId }]);
    const alone = keysOf(8);
    await alone.load();
    expect((await alone.signing(new Date())).privateJwk).toEqual(privateJwk);
    await expect(keysOf(7).load()).rejects.toThrow();
  });
});

describe("the cookies of a sign-in", () => {
  /** A sign-in page's status, by a spine with these master keys. */
  async function statusWith(numbers: [number, ...number[]], path: string, cookie: string): Promise<number> {
    const spine = await startSpine(platform.host, { ...testSettings, masterKeys: someMasterKeys(...numbers) });
    const server = createServer((request, response) => spine.authorizationServer.handle(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
      const answer = await fetch(url, { headers: { cookie } });
      await answer.text();
      return answer.status;
    } finally {
      server.close();
      await spine.close();
    }
  }

  it("are accepted under a new master key while the former one is configured", async () => {
    const base = await platform.listen();
    const tenantId = await platform.activeTenant("acme");
    const redirectUri = "https://app.example/callback";
    const { data } = await platform.ask(
      platformAdmin(),
      `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
        createTenantApiClient(tenantId: $tenantId, input: $input) { clientId } }`,
      {
        tenantId,
        input: {
          ...{ name: "App", scopes: ["templates.read"], redirectUris: [redirectUri], public: true, firstParty: true },
          grantTypes: ["authorization_code"],
        },
      },
    );
    const parameters = new URLSearchParams({
      ...{ client_id: String(data?.["createTenantApiClient"].clientId), redirect_uri: redirectUri },
      ...{ response_type: "code", code_challenge_method: "S256" },
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    });
    const start = await fetch(`${base}/connect/authorize?${parameters.toString()}`, { redirect: "manual" });
    const cookies = start.headers.getSetCookie().map((line) => line.split(";", 1)[0]);
    const path = new URL(start.headers.get("location") ?? "").pathname;
    const cookie = cookies.join("; ");
    expect(await statusWith([8, 7], path, cookie)).toBe(200);
    expect(await statusWith([8], path, cookie)).toBe(400);
  });
});
