import type { Revocation } from "@factory/runtime/auth/revocations";
import { TokenVerifier } from "@factory/runtime/auth/token-verifier";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { ValueSeal } from "@factory/runtime/sealing/value-seal";
import { type Scope, tenantScopes } from "@factory/schema/scopes";
import { decodeJwt, importJWK, SignJWT } from "jose";
import { raiseVersion } from "../../../ground/revocations/raise-version.fixture.js";
import { tokenExchange } from "../../../oauth-clients/grant-types.js";
import { aUser } from "../../../people/users/user.fixture.js";
import {
  type Json,
  platformAdmin,
  principal,
  RunningSpine,
  testSettings,
  until,
} from "../../../running-spine.fixture.js";
import { SigningKeyStore } from "../../signing-keys/signing-key-store.js";

interface TestClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

let platform: RunningSpine;
let endpoint: string;
let tenantId: string;
let service: TestClient;
let agent: TestClient;
let subjectToken: string;

const scopes: Scope[] = ["templates.read", "templates.execute", "templates.publish", "libraries.publish"];

beforeAll(async () => {
  platform = await RunningSpine.start();
  endpoint = `${await platform.listen()}/connect/token`;
  tenantId = await platform.activeTenant("acme");
  service = await aClient("Service", [...scopes, "user.read"]);
  agent = await aClient("Agent", [...scopes, "config.read"]);
  subjectToken = await ownToken(service);
});

afterAll(() => platform?.stop());

async function aClient(
  principalType: string,
  heldScopes: readonly Scope[] = scopes,
  owner = tenantId,
): Promise<TestClient> {
  const grantTypes = ["client_credentials", ...(principalType === "Agent" ? [tokenExchange] : [])];
  const { data, errors } = await platform.ask(
    platformAdmin(),
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
    { tenantId: owner, input: { name: "test", scopes: heldScopes, principalType, grantTypes } },
  );
  if (!data) throw new Error(JSON.stringify(errors));
  return data["createTenantApiClient"];
}

/** Where people in the tenant sign in. */
async function aStudio(): Promise<TestClient> {
  const { data } = await platform.ask(
    platformAdmin(),
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
    { tenantId, input: { name: "studio", scopes, grantTypes: ["password", "refresh_token"], firstParty: true } },
  );
  return data?.["createTenantApiClient"];
}

async function post({ clientId, clientSecret }: TestClient, form: Record<string, string> | string) {
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
  const body = new URLSearchParams(form);
  const response = await fetch(endpoint, { method: "POST", body, headers: { authorization } });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, Json> };
}

async function ownToken(client: TestClient, form: Record<string, string> = {}): Promise<string> {
  return (await post(client, { grant_type: "client_credentials", ...form })).body["access_token"];
}

const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";

const exchangeForm = (changes: Record<string, string> = {}) => ({
  grant_type: tokenExchange,
  subject_token: subjectToken,
  subject_token_type: accessTokenType,
  agent_task_id: "task-1",
  ...changes,
});

const exchange = (changes: Record<string, string> = {}, by = agent) => post(by, exchangeForm(changes));

async function refused(changes: Record<string, string>, by = agent): Promise<string> {
  const { status, body } = await exchange(changes, by);
  return `${status} ${body["error"]} ${body["code"]}`;
}

/** Under the platform's own key, what it would never sign. */
async function signed(changes: Record<string, unknown>, header: Record<string, unknown> = {}): Promise<string> {
  const keyStore = new SigningKeyStore(
    platform.admin,
    new ValueSeal(testSettings.masterKeys.keyring("factory spine signing keys")),
  );
  const [key] = await keyStore.load(new Date());
  if (!key) throw new Error("There is no key");
  return new SignJWT({ ...decodeJwt(subjectToken), jti: newId("evt"), ...changes })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: key.keyId, ...header })
    .sign(await importJWK(key.privateJwk, "ES256"));
}

const seconds = () => Math.floor(Date.now() / 1000);

async function decide(field: string, approvalId: string): Promise<void> {
  const boss = {
    ...principal(tenantId, ["governance.approve", ...scopes]),
    subject: "usr_boss",
    clientId: "cli_studio",
  };
  const { errors } = await platform.ask(boss, `mutation { ${field}(approvalId: "${approvalId}") { status } }`);
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
}

describe("token exchange", () => {
  it("issues the scopes that agent and subject have in common, for one task and ten minutes", async () => {
    const { status, headers, body } = await exchange();
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body).toEqual({
      access_token: expect.any(String),
      issued_token_type: accessTokenType,
      token_type: "Bearer",
      expires_in: 600,
      scope: "templates.read templates.execute",
    });
    const payload = decodeJwt(body["access_token"]);
    expect(payload).toEqual({
      iss: testSettings.issuer,
      aud: testSettings.issuer,
      sub: service.clientId,
      client_id: agent.clientId,
      act: { sub: agent.clientId },
      iat: expect.any(Number),
      nbf: payload.iat,
      exp: (payload.iat ?? 0) + 600,
      versions: { subject: 0, clients: { [service.clientId]: 0, [agent.clientId]: 0 }, tenant: 0 },
      jti: expect.any(String),
      scope: "templates.read templates.execute",
      tenantId,
      tenantSlug: "acme",
      editionCode: "Standard",
      principalType: "Agent",
      roles: [],
      platformAdmin: false,
      agentTaskId: "task-1",
    });
    const { issuer } = testSettings;
    const keys = () => platform.spine.authorizationServer.jwks();
    expect(
      await new TokenVerifier({ issuer, audience: issuer, keys, tenantExists: async () => true }).verify(
        body["access_token"],
      ),
    ).toMatchObject({
      subject: service.clientId,
      clientId: agent.clientId,
      principalType: "Agent",
      agentTaskId: "task-1",
      actors: [agent.clientId],
      approvalId: undefined,
    });
  });

  it("issues only the requested scopes", async () => {
    expect((await exchange({ scope: "templates.execute" })).body["scope"]).toBe("templates.execute");
  });

  it.each([
    ["a scope of only the subject", "templates.read user.read"],
    ["a scope of only the agent", "config.read"],
    ["an unknown scope", "everything"],
  ])("refuses %s", async (_, scope) => {
    expect(await refused({ scope })).toBe("400 invalid_scope VALIDATION_FAILED");
  });

  it.each(["client.manage", "user.invite", "role.assign", "governance.approve", "audit.read"] as const)(
    "never gives an agent %s",
    async (scope) => {
      const heldScopes: Scope[] = ["templates.read", scope];
      const [boss, eager] = [await aClient("Service", heldScopes), await aClient("Agent", heldScopes)];
      const subject_token = await ownToken(boss);
      expect(decodeJwt(subject_token)["scope"]).toBe(heldScopes.join(" "));
      expect((await exchange({ subject_token }, eager)).body["scope"]).toBe("templates.read");
      expect(await refused({ subject_token, scope }, eager)).toBe("400 invalid_scope VALIDATION_FAILED");
      expect((await post(eager, { grant_type: "client_credentials" })).body["scope"]).toBe("templates.read");
      const answer = await post(eager, { grant_type: "client_credentials", scope: heldScopes.join(" ") });
      expect([answer.status, answer.body["error"]]).toEqual([400, "invalid_scope"]);
    },
  );

  it("refuses a subject that has no scope in common with the agent", async () => {
    const other = await ownToken(service, { scope: "user.read" });
    expect(await refused({ subject_token: other })).toBe("400 invalid_scope VALIDATION_FAILED");
  });

  it("expires not later than the token of the subject", async () => {
    const now = seconds();
    const short = await signed({ iat: now, nbf: now, exp: now + 90 });
    const { body } = await exchange({ subject_token: short });
    expect(body["expires_in"]).toBeLessThanOrEqual(90);
    expect(decodeJwt(body["access_token"]).exp).toBeLessThanOrEqual(now + 90);
  });

  it("accepts the issuer as resource and audience, and both names of the token type", async () => {
    const form = new URLSearchParams(exchangeForm({ requested_token_type: "urn:ietf:params:oauth:token-type:jwt" }));
    form.set("subject_token_type", "urn:ietf:params:oauth:token-type:jwt");
    for (const name of ["resource", "audience"]) {
      form.append(name, testSettings.issuer);
      form.append(name, `${testSettings.issuer}/`);
    }
    const { status, body } = await post(agent, form.toString());
    expect([status, body["issued_token_type"]]).toEqual([200, "urn:ietf:params:oauth:token-type:jwt"]);
  });

  it.each<[string, Record<string, string>, string]>([
    ["no subject_token", { subject_token: "" }, "400 invalid_request VALIDATION_FAILED"],
    ["no subject_token_type", { subject_token_type: "" }, "400 invalid_request VALIDATION_FAILED"],
    [
      "another kind of subject_token",
      { subject_token_type: "urn:ietf:params:oauth:token-type:id_token" },
      "400 invalid_request VALIDATION_FAILED",
    ],
    [
      "another requested token type",
      { requested_token_type: "urn:ietf:params:oauth:token-type:refresh_token" },
      "400 invalid_request VALIDATION_FAILED",
    ],
    ["an actor_token", { actor_token: "abc" }, "400 invalid_request VALIDATION_FAILED"],
    ["no agent_task_id", { agent_task_id: "" }, "400 invalid_request VALIDATION_FAILED"],
    ["a long agent_task_id", { agent_task_id: "x".repeat(201) }, "400 invalid_request VALIDATION_FAILED"],
    ["an agent_task_id with a line break", { agent_task_id: "a\nb" }, "400 invalid_request VALIDATION_FAILED"],
    ["an agent_task_id with NUL", { agent_task_id: "a\0b" }, "400 invalid_request VALIDATION_FAILED"],
    ["a blank agent_task_id", { agent_task_id: " " }, "400 invalid_request VALIDATION_FAILED"],
    ["another resource", { resource: "https://other.example" }, "400 invalid_target VALIDATION_FAILED"],
    ["another audience", { audience: "https://other.example" }, "400 invalid_target VALIDATION_FAILED"],
    ["a subject_token that is not a token", { subject_token: "garbage" }, "400 invalid_request TOKEN_INVALID"],
  ])("refuses %s", async (_, changes, expectedRefusal) => {
    expect(await refused(changes)).toBe(expectedRefusal);
  });

  it("refuses repeated parameters", async () => {
    const form = `${new URLSearchParams(exchangeForm()).toString()}&agent_task_id=task-2`;
    expect((await post(agent, form)).body["error"]).toBe("invalid_request");
  });

  it("is only for agents that may use the grant type", async () => {
    await platform.admin.query("update api_clients set grant_types = array[$1] where client_id = $2", [
      tokenExchange,
      service.clientId,
    ]);
    expect(await refused({}, service)).toMatch(/^400 unauthorized_client/);
    const boundAgent = await aClient("Agent");
    await platform.admin.query("update api_clients set grant_types = '{client_credentials}' where client_id = $1", [
      boundAgent.clientId,
    ]);
    expect(await refused({}, boundAgent)).toMatch(/^400 unauthorized_client/);
    expect((await exchange({}, { ...agent, clientSecret: "wrong" })).status).toBe(401);
  });
});

describe("a subject_token", () => {
  const refusedToken = async (token: string) => refused({ subject_token: token });

  it("of another tenant is refused", async () => {
    const other = await platform.activeTenant("other");
    const foreign = await ownToken(await aClient("Service", scopes, other));
    expect(await refusedToken(foreign)).toBe("400 invalid_request TENANT_MISMATCH");
    expect(await refusedToken(await signed({ tenantId: undefined }))).toBe("400 invalid_request TENANT_MISMATCH");
  });

  it("that has expired or comes from another issuer is refused", async () => {
    const past = { iat: seconds() - 900, nbf: seconds() - 900, exp: seconds() - 1 };
    expect(await refusedToken(await signed(past))).toBe("400 invalid_request TOKEN_EXPIRED");
    expect(await refusedToken(await signed({ iss: "https://evil.example" }))).toMatch(/TOKEN_INVALID$/);
    expect(await refusedToken(await signed({ aud: "https://evil.example" }))).toMatch(/TOKEN_INVALID$/);
    expect(await refusedToken(await signed({}, { typ: "JWT" }))).toMatch(/TOKEN_INVALID$/);
    const [header, payload = "", signature] = subjectToken.split(".");
    const claims = { ...(JSON.parse(Buffer.from(payload, "base64url").toString()) as object), sub: "usr_root" };
    const forgedToken = [header, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".");
    expect(await refusedToken(forgedToken)).toBe("400 invalid_request TOKEN_INVALID");
  });

  it.each([
    ["itself", "Token", "jti"],
    ["with its sign-in", "Grant", "grantId"],
    ["with its subject", "Principal", "sub"],
    ["with its client", "Client", "client_id"],
  ])("that was revoked %s is refused at once", async (_, kind, claim) => {
    const facts = { jti: newId("evt"), grantId: newId("evt"), sub: newId("usr"), client_id: newId("cli") };
    const token = await signed(facts);
    expect((await exchange({ subject_token: token })).status).toBe(200);
    const subject = facts[claim as keyof typeof facts];
    await raiseVersion(platform.admin, tenantId, kind as Revocation["kind"], subject);
    expect(await refusedToken(token)).toBe("400 invalid_request TOKEN_INVALID");
    const versions = { subject: 1, clients: { [facts.client_id]: 1 } };
    const newer = await signed({ ...facts, jti: newId("evt"), versions });
    expect((await exchange({ subject_token: newer })).status).toBe(kind === "Grant" ? 400 : 200);
  });

  it("may name the client that may act with it (may_act)", async () => {
    const byAgent = await signed({ may_act: { sub: agent.clientId } });
    expect((await exchange({ subject_token: byAgent })).status).toBe(200);
    for (const may_act of [{ sub: "cli_other" }, {}, agent.clientId, null])
      expect(await refusedToken(await signed({ may_act }))).toBe("400 invalid_request TOKEN_INVALID");
  });

  it("of a sign-in gives the agent a token that is revoked with the sign-in", async () => {
    const { body } = await exchange({ subject_token: await signed({ grantId: "grant-1" }) });
    expect(decodeJwt(body["access_token"])["grantId"]).toBe("grant-1");
  });

  it("of an agent is refused when the service it acts for, or an agent in its chain, is disabled", async () => {
    for (const place of ["service", "agent"] as const) {
      const chain = { service: await aClient("Service"), agent: await aClient("Agent") };
      const { body } = await exchange({ subject_token: await ownToken(chain.service) }, chain.agent);
      const handedOn = await exchange({ subject_token: body["access_token"] });
      expect(handedOn.status).toBe(200);
      await platform.ask(
        principal(tenantId, tenantScopes),
        `mutation { disableApiClient(clientId: "${chain[place].clientId}") { status } }`,
      );
      for (const token of [body["access_token"], handedOn.body["access_token"]])
        expect(await refusedToken(token)).toBe("400 invalid_request TOKEN_INVALID");
    }
  });

  it("of a person gives the agent a token that ends with the client at which the person signed in", async () => {
    const studio = await aStudio();
    const user = await aUser(platform, tenantId, ["templates.read"]);
    const signedIn = await post(studio, { grant_type: "password", username: user.email, password: user.password });
    const first = (await exchange({ subject_token: signedIn.body["access_token"] })).body["access_token"];
    const second = (await exchange({ subject_token: first }, await aClient("Agent"))).body["access_token"];
    await platform.ask(
      principal(tenantId, tenantScopes),
      `mutation { disableApiClient(clientId: "${studio.clientId}") { status } }`,
    );
    for (const token of [first, second]) {
      expect(await refusedToken(token)).toBe("400 invalid_request TOKEN_INVALID");
      const introspection = new URL("/connect/introspect", endpoint);
      const authorization = `Basic ${Buffer.from(`${agent.clientId}:${agent.clientSecret}`).toString("base64")}`;
      const body = new URLSearchParams({ token });
      const answer = await fetch(introspection, { method: "POST", body, headers: { authorization } });
      expect(await answer.json()).toEqual({ active: false });
    }
  });

  it("of an agent is accepted only if the agent acts for a subject", async () => {
    expect(await refusedToken(await ownToken(agent))).toBe("400 invalid_request TOKEN_INVALID");
  });
});

describe("a user", () => {
  it("gives the agent the scopes of the user's roles, until the sign-in ends", async () => {
    const user = await aUser(platform, tenantId, ["templates.read", "user.read"]);
    const studio = await aStudio();
    const signedIn = await post(studio, { grant_type: "password", username: user.email, password: user.password });
    const { body } = await exchange({ subject_token: signedIn.body["access_token"] });
    const { grantId } = decodeJwt(signedIn.body["access_token"]);
    expect(decodeJwt(body["access_token"])).toMatchObject({
      sub: user.userId,
      client_id: agent.clientId,
      scope: "templates.read",
      principalType: "Agent",
      roles: [],
      grantId,
    });
    const { issuer } = testSettings;
    const keys = () => platform.spine.authorizationServer.jwks();
    const verifier = new TokenVerifier({ issuer, audience: issuer, keys, tenantExists: async () => true });
    expect(await verifier.verify(body["access_token"])).toMatchObject({ subject: user.userId, grantId });
    await platform.spine.watchRevocations((revocation) => verifier.apply(revocation));
    const refresh = (token: Json) => post(studio, { grant_type: "refresh_token", refresh_token: token });
    const { body: successor } = await refresh(signedIn.body["refresh_token"]);
    await refresh(successor["refresh_token"]);
    expect((await refresh(signedIn.body["refresh_token"])).body["error"]).toBe("invalid_grant");
    expect(await refused({ subject_token: signedIn.body["access_token"] })).toBe("400 invalid_request TOKEN_INVALID");
    await until(() =>
      verifier.verify(body["access_token"]).then(
        () => false,
        () => true,
      ),
    );
  });
});

describe("agents that delegate a task", () => {
  it("are listed in the token in their order", async () => {
    const helper = await aClient("Agent");
    const first = await exchange();
    const second = await exchange({ subject_token: first.body["access_token"] }, helper);
    expect(decodeJwt(second.body["access_token"])).toMatchObject({
      sub: service.clientId,
      client_id: helper.clientId,
      agentTaskId: "task-1",
      act: { sub: helper.clientId, act: { sub: agent.clientId } },
    });
    expect(second.body["expires_in"]).toBeLessThanOrEqual(600);
  });

  it("are at most five, and cannot change the task", async () => {
    let { body } = await exchange();
    expect(await refused({ subject_token: body["access_token"], agent_task_id: "task-2" })).toBe(
      "400 invalid_request AGENT_TASK_MISMATCH",
    );
    for (let hand = 2; hand <= 5; hand += 1) ({ body } = await exchange({ subject_token: body["access_token"] }));
    expect(await refused({ subject_token: body["access_token"] })).toBe("400 invalid_request VALIDATION_FAILED");
  });

  it("cannot get more scopes than the agent before", async () => {
    const { body } = await exchange({ scope: "templates.read" });
    expect(await refused({ subject_token: body["access_token"], scope: "templates.execute" })).toMatch(/invalid_scope/);
  });
});

describe("publishing scopes", () => {
  const publishingTask = (task: string, scope = "templates.read templates.publish") => ({ agent_task_id: task, scope });

  it("need an approval, which the first request creates", async () => {
    const answers = await Promise.all(Array.from({ length: 15 }, () => exchange(publishingTask("release"))));
    expect(new Set(answers.map(({ body }) => body["approval_id"])).size).toBe(1);
    const [{ status, body } = { status: 0, body: {} as Record<string, Json> }] = answers;
    expect([status, body]).toEqual([
      400,
      {
        error: "approval_required",
        error_description: expect.any(String),
        code: "APPROVAL_REQUIRED",
        approval_id: expect.stringMatching(/^apr_/),
        traceId: expect.any(String),
      },
    ]);
    const events = (await platform.eventsOf(tenantId)).filter(({ type }) => type === "ScopeApprovalRequested");
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      subject: `approvals/${body["approval_id"]}`,
      actorid: service.clientId,
      agentid: agent.clientId,
      data: { subject: service.clientId, agentClientId: agent.clientId, scopes: ["templates.publish"] },
    });
    const traces = answers.map(({ headers }) => headers.get("x-trace-id"));
    expect(traces).toContain(events[0]?.traceid);
  });

  it("are issued with an approval until it ends", async () => {
    const { body: first } = await exchange(publishingTask("approved"));
    await decide("approveScopes", first["approval_id"]);
    const { status, body } = await exchange(publishingTask("approved"));
    expect([status, body["scope"]]).toEqual([200, "templates.read templates.publish"]);
    expect(decodeJwt(body["access_token"])).toMatchObject({ approvalId: first["approval_id"] });
    expect((await exchange(publishingTask("another task"))).body["error"]).toBe("approval_required");
    expect((await exchange(publishingTask("approved", "libraries.publish"))).body["error"]).toBe("approval_required");
    const elsewhere = { ...publishingTask("approved"), subject_token: await signed({ sub: newId("usr") }) };
    expect((await exchange(elsewhere)).body["error"]).toBe("approval_required");
    const helper = await aClient("Agent");
    const handedOn = { ...publishingTask("approved"), subject_token: body["access_token"] };
    expect((await exchange(handedOn, helper)).body["error"]).toBe("approval_required");

    const set = (until: string) =>
      platform.admin.query(`update approvals set valid_until = ${until} where status = 'Approved'`);
    await set("now() + interval '30 seconds'");
    expect((await exchange(publishingTask("approved"))).body["expires_in"]).toBeLessThanOrEqual(30);
    await set("now()");
    const { body: after } = await exchange(publishingTask("approved"));
    expect(after["error"]).toBe("approval_required");
    expect(after["approval_id"]).not.toBe(first["approval_id"]);
  });

  it("are not in a token that does not need them", async () => {
    const { body } = await exchange({ agent_task_id: "approved", scope: "templates.read" });
    expect(decodeJwt(body["access_token"])).not.toHaveProperty("approvalId");
  });

  it("cannot be given to a client or assigned by a role", async () => {
    const approvedCaller = {
      ...principal(tenantId, [...scopes, "client.manage", "role.assign"]),
      principalType: "Agent" as const,
      approvalId: newId("apr"),
    };
    const documents = [
      'mutation { createApiClient(input: { name: "later", scopes: ["templates.publish"] }) { clientId } }',
      'mutation { createRole(input: { code: "later", name: "later", scopes: ["templates.publish"] }) { roleId } }',
    ];
    // an approval ends also for a service that needs one
    for (const caller of [approvedCaller, { ...approvedCaller, principalType: "Service" as const }])
      for (const document of documents)
        expect((await platform.ask(caller, document)).refusal).toMatchObject({
          code: "INSUFFICIENT_SCOPE",
          requiredScopes: ["templates.publish"],
        });
    const ownService = { ...approvedCaller, principalType: "Service" as const, approvalId: undefined };
    for (const document of documents) expect((await platform.ask(ownService, document)).errors).toEqual([]);
  });

  it("stay refused after a rejection", async () => {
    const { body } = await exchange(publishingTask("refused"));
    await decide("rejectScopes", body["approval_id"]);
    const { status, body: after } = await exchange(publishingTask("refused"));
    expect([status, after["error"], after["approval_id"]]).toEqual([400, "access_denied", body["approval_id"]]);
  });

  it("can be requested at most twenty times", async () => {
    const eager = await aClient("Agent");
    for (let task = 0; task < 20; task += 1) await exchange(publishingTask(`task-${task}`), eager);
    const { status, headers, body } = await exchange(publishingTask("one more"), eager);
    expect([status, body["error"], body["code"]]).toEqual([429, "rate_limited", "RATE_LIMITED"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it("are not issued to an agent that acts for itself", async () => {
    const { body } = await post(agent, { grant_type: "client_credentials" });
    expect(body["scope"]).toBe("templates.read templates.execute config.read");
    const answer = await post(agent, { grant_type: "client_credentials", scope: "templates.publish" });
    expect([answer.status, answer.body["error"]]).toEqual([400, "invalid_scope"]);
  });
});
