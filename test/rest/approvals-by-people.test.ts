import { generateKeyPairSync } from "node:crypto";
import { decodeJwt } from "jose";
import { anAgent, exchange } from "../kit/agents.js";
import { Browser } from "../kit/browser.js";
import {
  aSignInClient,
  aThirdPartyClient,
  authorizeUrl,
  browserTokens,
  callback,
  redeem,
  returned,
  type SignInClient,
  signInAs,
} from "../kit/code-flow.js";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aPerson, type Person } from "../kit/people.js";
import { platform } from "../kit/platform.js";
import { forgetSetting } from "../kit/protected-settings.js";
import { refusal } from "../kit/refusal.js";
import { graphql, request } from "../kit/request.js";
import { aPasswordClient, refreshed, signedIn } from "../kit/sign-ins.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";

type PasswordClient = Awaited<ReturnType<typeof aPasswordClient>>;

const evil = "https://evil.example/callback";
const scopes = ["governance.read", "governance.approve", "templates.read", "templates.publish"];
const scope = "openid governance.approve templates.publish";

let tenant: TestTenant;
let desk: PasswordClient;
let agent: Awaited<ReturnType<typeof anAgent>>;
let first: Person;
let second: Person;
/** The browser in which the second owner is signed in. */
let browser: Browser;
let firstToken: string;
let secondToken: string;
/** The platform's own client at which people sign in in a browser. */
let studio: SignInClient;
let requests = 0;

beforeAll(async () => {
  tenant = await aTenant();
  [desk, agent] = await Promise.all([aPasswordClient(tenant.tenantId), anAgent(tenant.tenantId)]);
  first = await aPerson(tenant, "TenantOwner");
  second = await aPerson(tenant, "TenantOwner");
  firstToken = (await signedIn(desk, first)).access_token;
  secondToken = (await signedIn(desk, second)).access_token;
  browser = new Browser(platform().publicUrl);
  studio = await aSignInClient(tenant.tenantId, { scopes, firstParty: true });
  returned(await signInAs(browser, await browser.open(authorizeUrl(studio, { scope })), second));
});

/** The second owner has just signed in in a browser. */
const secondInBrowser = () => browserTokens(studio, second, scope);

/** An exchanged token for an agent that acts for the first owner and waits for an approval. */
async function aPendingApprovalRequest(): Promise<string> {
  requests += 1;
  const form = { agent_task_id: `people-${requests}`, scope: "templates.publish" };
  return String((await exchange(agent, firstToken, form)).body["approval_id"]);
}

const approve = (approvalId: string, token: string) =>
  request(`POST /v1/approvals/${approvalId}/approve`, { token, body: {} });

/** A third-party client that the second owner has created. The second owner has given it consent. */
async function aTrustedClient(input: Record<string, unknown> = {}): Promise<SignInClient> {
  const client = await aThirdPartyClient(secondToken, { name: "Dashboard", scopes, ...input });
  const page = await browser.open(authorizeUrl(client, { scope }));
  expect(page.text).toContain("<h1>Allow access?</h1>");
  returned(await browser.submit(page, { action: "allow" }));
  return client;
}

const open = (client: SignInClient, changes: Record<string, string> = {}) =>
  browser.open(authorizeUrl(client, { scope, ...changes }));

const isAsked = async (client: SignInClient, changes: Record<string, string> = {}) =>
  (await open(client, changes)).text.includes("<h1>Allow access?</h1>");

async function update({ clientId }: SignInClient, input: Record<string, unknown>, token = firstToken): Promise<void> {
  const { body } = await graphql(
    "mutation ($clientId: ID!, $input: UpdateApiClientInput!) { updateApiClient(clientId: $clientId, input: $input) { clientId } }",
    { token, variables: { clientId, input } },
  );
  expect(body.errors).toBeUndefined();
}

async function rotated({ clientId }: SignInClient, token = firstToken): Promise<SignInClient> {
  const { body } = await graphql<{ rotateApiClientSecret: SignInClient }>(
    "mutation ($clientId: ID!) { rotateApiClientSecret(clientId: $clientId) { clientId clientSecret } }",
    { token, variables: { clientId } },
  );
  expect(body.errors).toBeUndefined();
  return body.data.rotateApiClientSecret;
}

const aKey = (kid: string) => ({ ...generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }), kid });

const inDatabase = (change: string, { clientId }: SignInClient) =>
  rows(`update spine.api_clients set ${change} where client_id = $1`, [clientId]);

describe("an owner who takes over a third-party client", () => {
  it("gets no code of the other owner without a consent page, and cannot approve in the name of the other owner", async () => {
    const client = await aTrustedClient();
    const before = (await redeem(client, String(returned(await open(client))["code"]))).body;
    const approvalId = await aPendingApprovalRequest();
    expect(refusal(await approve(approvalId, firstToken))).toBe("403 SELF_APPROVAL");

    await update(client, { redirectUris: [evil] });
    const rotatedClient = await rotated(client);
    const page = await open(rotatedClient, { redirect_uri: evil });
    expect([page.url.startsWith(platform().publicUrl), page.text.includes("<h1>Allow access?</h1>")]).toEqual([
      true,
      true,
    ]);
    expect(returned(await open(rotatedClient, { redirect_uri: evil, prompt: "none" }), evil)["error"]).toBe(
      "consent_required",
    );
    const refresh = { grant_type: "refresh_token", refresh_token: String(before["refresh_token"]) };
    expect((await redeem(rotatedClient, "", refresh)).body["error"]).toBe("invalid_grant");
    await eventually("the earlier access token is refused", async () => {
      return refusal(await approve(approvalId, String(before["access_token"]))) === "401 TOKEN_INVALID";
    });

    // a user's consent does not give the client the right to decide
    returned(await browser.submit(page, { action: "allow" }), evil);
    let token = "";
    // tokens have a time in seconds, so a code from the rotation's second counts as older
    await eventually("a code is redeemed", async () => {
      const { code } = returned(await open(rotatedClient, { redirect_uri: evil }), evil);
      const { status, body } = await redeem(rotatedClient, String(code), { redirect_uri: evil });
      token = body["access_token"];
      return status === 200;
    });
    expect(decodeJwt(token)).toMatchObject({ sub: second.userId, scope });
    expect(refusal(await approve(approvalId, token))).toBe("403 FIRST_PARTY_CLIENT_REQUIRED");
    expect((await approve(approvalId, (await secondInBrowser()).access_token)).body["status"]).toBe("Approved");
  });

  it("cannot change the redirect URI back during the sign-in", async () => {
    const client = await aTrustedClient();
    await update(client, { redirectUris: [evil] });
    const fresh = new Browser(platform().publicUrl);
    const page = await fresh.open(authorizeUrl(client, { scope, redirect_uri: evil }));
    await update(client, { redirectUris: [callback] });
    const end = await signInAs(fresh, page, second);
    expect([end.status, end.text.includes("This sign-in cannot go on")]).toEqual([400, true]);
    expect(await isAsked(client)).toBe(false);
  });

  it("gets no consent if the client changes while the consent page is shown", async () => {
    const client = await aThirdPartyClient(secondToken, { name: "Dashboard", scopes });
    const page = await open(client);
    await rotated(client);
    const answer = await browser.submit(page, { action: "allow" });
    expect([answer.status, answer.text.includes("This form cannot be used")]).toEqual([403, true]);
  });
});

describe("a remembered consent", () => {
  it("stays valid after a new secret or a new key of the same holder", async () => {
    const client = await aTrustedClient();
    await rotated(client, secondToken);
    expect(await isAsked(client)).toBe(false);
    const keys = [aKey("1")];
    const signing = await aTrustedClient({ jwks: { keys } });
    await update(signing, { jwks: { keys: [...keys, aKey("2")] } }, secondToken);
    expect(await isAsked(signing)).toBe(false);
  });

  it.each<[string, (client: SignInClient) => Promise<unknown>, Record<string, string>?]>([
    ["another address", (client) => update(client, { redirectUris: [callback, evil] }, secondToken)],
    ["a secret of another holder", (client) => rotated(client)],
    [
      "more scopes",
      (client) => inDatabase("scopes = scopes || '{user.read}'", client),
      { scope: `${scope} user.read` },
    ],
    ["another holder", (client) => inDatabase(`secret_held_by = '${first.userId}'`, client)],
    ["another kind of client", (client) => inDatabase("is_public = true", client)],
    [
      "another holder of the secret of the service that holds its secret",
      async (client) => {
        const service = await aThirdPartyClient(secondToken, {
          scopes,
          grantTypes: undefined,
          redirectUris: undefined,
        });
        await inDatabase(`secret_held_by = '${service.clientId}'`, client);
        returned(await browser.submit(await open(client), { action: "allow" }));
        expect(await isAsked(client)).toBe(false);
        await rotated(service);
      },
    ],
  ])("is not valid for a client with %s", async (_, change, request = {}) => {
    const client = await aTrustedClient();
    await change(client);
    expect(await isAsked(client, request)).toBe(true);
  });

  it("is not valid for a client with a key of another holder", async () => {
    const keys = [aKey("1")];
    const client = await aTrustedClient({ jwks: { keys } });
    await update(client, { jwks: { keys: [...keys, aKey("2")] } });
    expect(await isAsked(client)).toBe(true);
  });

  it("is not valid if it was stored without its terms", async () => {
    const client = await aTrustedClient();
    await rows(
      "update spine.oidc_artifacts set payload = payload - 'terms' where kind = 'Grant' and payload->>'clientId' = $1",
      [client.clientId],
    );
    expect(await isAsked(client)).toBe(true);
  });
});

describe("a person who approves", () => {
  const minutesAgo = (minutes: number) => Math.floor(Date.now() / 1000) - minutes * 60;
  const older = (kind: string, member: string, clientOrUser: string) =>
    rows(
      `update spine.oidc_artifacts set payload = jsonb_set(payload, '{${member}}', to_jsonb($2::int))
       where kind = $1 and (account_id = $3 or payload->>'clientId' = $3)`,
      [kind, minutesAgo(16), clientOrUser],
    );

  it("cannot approve or reject with a token of the password grant, also not after a refresh", async () => {
    const approvalId = await aPendingApprovalRequest();
    const tokens = await signedIn(desk, second);
    const again = await refreshed(desk, tokens.refresh_token);
    for (const token of [tokens.access_token, again.access_token]) {
      expect(decodeJwt(token)["passwordGrant"]).toBe(true);
      expect(refusal(await approve(approvalId, token))).toBe("403 BROWSER_SIGN_IN_REQUIRED");
      const rejection = await request(`POST /v1/approvals/${approvalId}/reject`, { token, body: {} });
      expect(refusal(rejection)).toBe("403 BROWSER_SIGN_IN_REQUIRED");
    }
    const { access_token: token } = await secondInBrowser();
    expect(decodeJwt(token)).not.toHaveProperty("passwordGrant");
    expect((await approve(approvalId, token)).body["status"]).toBe("Approved");
  });

  it("must have signed in within 15 minutes, and a refresh does not count", async () => {
    const approvalId = await aPendingApprovalRequest();
    const { clientId, clientSecret } = await aSignInClient(tenant.tenantId, { scopes, firstParty: true });
    const client = { clientId, clientSecret: clientSecret ?? "" };
    const tokens = await browserTokens(client, second, scope);
    const signedInAt = decodeJwt(tokens.access_token)["auth_time"];
    const again = await refreshed(client, tokens.refresh_token);
    expect(decodeJwt(again.access_token)["auth_time"]).toBe(signedInAt);
    await older("RefreshToken", "authTime", client.clientId);
    const late = await refreshed(client, again.refresh_token);
    const answer = await approve(approvalId, late.access_token);
    expect(refusal(answer)).toBe("401 AUTHENTICATION_TOO_OLD");
    expect(answer.headers.get("www-authenticate")).toBe(
      'Bearer error="insufficient_user_authentication", error_description="A more recent sign-in is required.", max_age="900"',
    );
    const overGraphql = await graphql(`mutation { rejectScopes(approvalId: "${approvalId}") { status } }`, {
      token: late.access_token,
    });
    expect([overGraphql.status, overGraphql.body.errors?.[0]?.extensions]).toMatchObject([
      401,
      { code: "AUTHENTICATION_TOO_OLD", maxAgeSeconds: 900 },
    ]);
    expect(overGraphql.headers.get("www-authenticate")).toContain('max_age="900"');
    expect((await approve(approvalId, again.access_token)).body["status"]).toBe("Approved");
  });

  it("must have signed in with a second factor where the tenant asks for it", async () => {
    const level = "urn:factory:acr:second-factor";
    const token = await tenant.tokenWith();
    const body = { value: level };
    expect((await request("PUT /v1/config/governance.approve.acr", { token, body })).status).toBeLessThan(300);
    const approvalId = await aPendingApprovalRequest();
    const { access_token: weak } = await secondInBrowser();
    const answer = await approve(approvalId, weak);
    expect(refusal(answer)).toBe("401 AUTHENTICATION_TOO_WEAK");
    const challenge = `Bearer error="insufficient_user_authentication", error_description="A stronger sign-in is required.", acr_values="${level}", max_age="900"`;
    expect(answer.headers.get("www-authenticate")).toBe(challenge);
    const overGraphql = await graphql(`mutation { rejectScopes(approvalId: "${approvalId}") { status } }`, {
      token: weak,
    });
    expect([overGraphql.status, overGraphql.headers.get("www-authenticate")]).toEqual([401, challenge]);
    expect(overGraphql.body.errors?.[0]?.extensions).toMatchObject({ acrValues: level, maxAgeSeconds: 900 });
    await forgetSetting(tenant, "governance.approve.acr");
    // the approval keeps the level that its request had
    const approval = await request(`GET /v1/approvals/${approvalId}`, { token });
    expect(approval.body).toMatchObject({ status: "Pending", requiredAcr: level });
    expect(refusal(await approve(approvalId, weak))).toBe("401 AUTHENTICATION_TOO_WEAK");
    await eventually("the level is forgotten", async () => {
      const { body: approvalAnswer } = await approve(await aPendingApprovalRequest(), weak);
      return approvalAnswer["status"] === "Approved";
    });
  });

  it("must sign in again by max_age when the session of the browser is older", async () => {
    const ownBrowser = new Browser(platform().publicUrl);
    returned(await signInAs(ownBrowser, await ownBrowser.open(authorizeUrl(studio, { scope })), second));
    await older("Session", "loginTs", second.userId);
    const approvalId = await aPendingApprovalRequest();
    const late = returned(await ownBrowser.open(authorizeUrl(studio, { scope })));
    const lateToken = (await redeem(studio, String(late["code"]))).body["access_token"];
    expect(refusal(await approve(approvalId, lateToken))).toBe("401 AUTHENTICATION_TOO_OLD");
    const page = await ownBrowser.open(authorizeUrl(studio, { scope, max_age: "900" }));
    expect(page.text).toContain("<h1>Sign in</h1>");
    const { code } = returned(await signInAs(ownBrowser, page, second));
    const { body } = await redeem(studio, String(code));
    expect((await approve(approvalId, body["access_token"])).body["status"]).toBe("Approved");
  });

  it("does not pass the sign-in time or the right to approve to an agent", async () => {
    const { body } = await exchange(agent, secondToken, { scope: "templates.read" });
    const claims = decodeJwt(body["access_token"]);
    expect(claims).toMatchObject({ sub: second.userId, principalType: "Agent" });
    expect([claims["auth_time"], claims["firstParty"]]).toEqual([undefined, undefined]);
    const refusedAnswer = await exchange(agent, secondToken, { scope: "governance.approve" });
    expect(refusedAnswer.body["error"]).toBe("invalid_scope");
  });

  it("gets the time of the sign-in in the token, not the time of a later consent", async () => {
    const client = await aThirdPartyClient(secondToken, { name: "Dashboard", scopes });
    const ownBrowser = new Browser(platform().publicUrl);
    const consent = await signInAs(ownBrowser, await ownBrowser.open(authorizeUrl(client, { scope })), second);
    await rows(
      "update spine.oidc_artifacts set payload = jsonb_set(payload, '{lastSubmission,login,ts}', to_jsonb($1::int), false) where kind = 'Interaction' and payload->'params'->>'client_id' = $2",
      [minutesAgo(20), client.clientId],
    );
    const { code } = returned(await ownBrowser.submit(consent, { action: "allow" }));
    const { body } = await redeem(client, String(code));
    expect(decodeJwt(body["access_token"])["auth_time"]).toBeLessThanOrEqual(minutesAgo(20));
  });
});
