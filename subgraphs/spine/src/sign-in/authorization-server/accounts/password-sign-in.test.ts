import { TokenVerifier } from "@factory/runtime/auth/token-verifier";
import type { Scope } from "@factory/schema/scopes";
import { raiseVersion } from "../../../ground/revocations/raise-version.fixture.js";
import { aUser } from "../../../people/users/user.fixture.js";
import { type Json, platformAdmin, principal, RunningSpine, testSettings } from "../../../running-spine.fixture.js";

let platform: RunningSpine;
let endpoint: string;
let tenantId: string;

beforeAll(async () => {
  platform = await RunningSpine.start({ rateLimitFactor: 1000 });
  endpoint = `${await platform.listen()}/connect/token`;
  tenantId = await platform.activeTenant("acme");
});

afterAll(() => platform?.stop());

const scopes: readonly Scope[] = ["templates.read"];

async function tokenOf(form: Record<string, string>): Promise<string | undefined> {
  const response = await fetch(endpoint, { method: "POST", body: new URLSearchParams(form) });
  return ((await response.json()) as Record<string, Json>)["access_token"];
}

/** The verifier accepts none once it knows all revocations. */
async function expectRefused(tokens: readonly (string | undefined)[]): Promise<void> {
  const { issuer } = testSettings;
  const keys = () => platform.spine.authorizationServer.jwks();
  const verifier = new TokenVerifier({ issuer, audience: issuer, keys, tenantExists: async () => true });
  await platform.watchFromElsewhere((revocation) => verifier.apply(revocation));
  for (const token of tokens)
    if (token !== undefined) await expect(verifier.verify(token)).rejects.toMatchObject({ code: "TOKEN_INVALID" });
}

describe("a user who is disabled while a password waits to be hashed", () => {
  it("gets no token that stays valid", async () => {
    const { data } = await platform.ask(
      platformAdmin(),
      `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
        createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
      { tenantId, input: { name: "desk", scopes, grantTypes: ["password", "refresh_token"], firstParty: true } },
    );
    const { clientId, clientSecret } = data?.["createTenantApiClient"] ?? {};
    const { userId, email, password } = await aUser(platform, tenantId, scopes);
    const signIn = () =>
      tokenOf({ grant_type: "password", client_id: clientId, client_secret: clientSecret, username: email, password });
    const waiting = Array.from({ length: 40 }, signIn);
    // the first has come back, so the others were let in
    await Promise.race(waiting);
    const admin = principal(tenantId, ["user.invite", ...scopes]);
    const { errors } = await platform.ask(admin, `mutation { disableUser(userId: "${userId}") { status } }`);
    expect(errors).toEqual([]);
    const tokens = await Promise.all(waiting);
    expect(tokens.filter((token) => token === undefined).length).toBeGreaterThan(0);
    await expectRefused(tokens);
  });
});

describe("a client that is disabled while it asks for tokens", () => {
  it("keeps no token, and gets a valid token when it is enabled again", async () => {
    const { data } = await platform.ask(
      platformAdmin(),
      `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
        createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
      { tenantId, input: { name: "greedy", scopes } },
    );
    const { clientId, clientSecret } = data?.["createTenantApiClient"] ?? {};
    const ask = () => tokenOf({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret });
    // a reader that has read the client before the commit, and not the revocation
    const taker = await platform.admin.connect();
    try {
      await taker.query("begin");
      await taker.query("update api_clients set status = 'Disabled' where client_id = $1", [clientId]);
      await raiseVersion(taker, tenantId, "Client", clientId);
      const between = await ask();
      await taker.query("commit");
      expect(between).toEqual(expect.any(String));
      await expectRefused([between]);
      await taker.query("update api_clients set status = 'Active' where client_id = $1", [clientId]);
      const again = await ask();
      expect(again).toEqual(expect.any(String));
      await expect(expectRefused([again])).rejects.toThrow();
    } finally {
      taker.release();
    }
  });
});
