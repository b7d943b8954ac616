import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { type Scope, tenantScopes } from "@factory/schema/scopes";
import { decodeJwt } from "jose";
import { anAgent, aService, exchange } from "../kit/agents.js";
import { Browser } from "../kit/browser.js";
import { aSignInClient, authorizeUrl, browserTokens, returned, signInAs } from "../kit/code-flow.js";
import { rows } from "../kit/database.js";
import { aPerson, type Person } from "../kit/people.js";
import { platform } from "../kit/platform.js";
import { setByPeople } from "../kit/protected-settings.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { graphql, type Json, request } from "../kit/request.js";
import { aPasswordClient, postForm, refreshed, signedIn } from "../kit/sign-ins.js";
import { aTemplateSource, aTemplateVersion } from "../kit/templates.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";
import { acceptInvitation, anAddress, anInvitation, invitationToken } from "../kit/users.js";

let tenant: TestTenant;
let token: string;

beforeAll(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
});

const putEntry = (key: string, body: unknown, headers: Record<string, string> = {}, as = token) =>
  request(`PUT /v1/config/${key}`, { token: as, body, headers });
const get = (key: string, as = token) => request(`GET /v1/config/${key}`, { token: as });

/** Sets a setting in a separate tenant, so that other tests keep the default. */
async function aTenantWith(key: string, value: unknown): Promise<TestTenant & { token: string }> {
  const newTenant = await aTenant();
  const tenantToken = await newTenant.tokenWith();
  const answer = await putEntry(key, { value }, {}, tenantToken);
  if (answer.status !== 201) throw new Error(answer.text);
  return { ...newTenant, token: tenantToken };
}

describe("/v1/config", () => {
  it("creates with 201, replaces with 200, deletes with 204, and answers the version as entity tag", async () => {
    const creation = await putEntry("studio.theme", { value: { dark: true }, description: "Colors" });
    expect([creation.status, creation.headers.get("etag")]).toEqual([201, '"1"']);
    expect(creation.body).toEqual({
      ...{ key: "studio.theme", value: { dark: true }, isSecret: false, readOnly: false, description: "Colors" },
      ...{ version: 1, createdAt: expect.any(String), updatedAt: expect.any(String), updatedBy: expect.any(String) },
    });
    const replacement = await putEntry("studio.theme", { value: null });
    expect([replacement.status, replacement.headers.get("etag"), replacement.body["value"]]).toEqual([
      200,
      '"2"',
      null,
    ]);
    const entry = await get("studio.theme");
    expect([entry.status, entry.headers.get("etag"), entry.body["value"]]).toEqual([200, '"2"', null]);
    const listAnswer = await request("GET /v1/config?prefix=studio.&limit=1&sort=-updatedAt", { token });
    expect(listAnswer.body).toMatchObject({ items: [{ key: "studio.theme" }], nextCursor: null });
    const deletion = await request("DELETE /v1/config/studio.theme", { token });
    expect([deletion.status, refusal(await get("studio.theme"))]).toEqual([204, "404 NOT_FOUND"]);
  });

  it("lets exactly one of 20 parallel changes with one If-Match through", async () => {
    await putEntry("raced", { value: 0 });
    const race = await Promise.all(
      Array.from({ length: 20 }, (_, place) => putEntry("raced", { value: `racer ${place}` }, { "if-match": '"1"' })),
    );
    const statuses = race.map(({ status }) => status).toSorted((value, other) => value - other);
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 412)]);
    const refusedAnswer = race.find(({ status }) => status === 412);
    expect([refusedAnswer && refusal(refusedAnswer), refusedAnswer?.headers.get("etag")]).toEqual([
      "412 PRECONDITION_FAILED",
      '"2"',
    ]);
    expect(refusal(await putEntry("raced", { value: 1 }, { "if-none-match": "*" }))).toBe("412 PRECONDITION_FAILED");
    expect(refusal(await putEntry("never-set", { value: 1 }, { "if-match": "*" }))).toBe("412 PRECONDITION_FAILED");
  });

  it("refuses hostile values with 4xx, and stores those that only look hostile", async () => {
    const raw = (text: string) =>
      request("PUT /v1/config/hostile", { token, raw: text, headers: { "content-type": "application/json" } });
    const nestedArray = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
    for (const text of [
      `{"value":"${"x".repeat(65_536)}"}`,
      `{"value":${nestedArray(100)}}`,
      `{"value":${nestedArray(20_000)}}`,
      '{"value":"a\\u0000b"}',
      '{"value":{"\\u0000":1}}',
      '{"value":"\\ud800"}',
      "{}",
      '{"value":',
    ]) {
      const answer = await raw(text);
      expect([text.slice(0, 40), answer.status]).toEqual([text.slice(0, 40), 400]);
    }
    for (const value of [
      '{"constructor":{"prototype":{"x":1}}}',
      '"</script><script>"',
      '"$1; drop table tenants"',
      '""',
    ]) {
      expect((await raw(`{"value":${value}}`)).status).toBeLessThan(300);
      expect(JSON.stringify((await get("hostile")).body["value"])).toBe(value);
    }
    const proto = await raw('{"value":{"__proto__":{"admin":true}}}');
    expect([200, 201, 400]).toContain(proto.status);
    expect((await get("hostile")).body["admin"]).toBeUndefined();
    for (const key of ["%2e%2e%2fetc", "a%00b", "__proto__", "x".repeat(129), "ä"])
      expect([key, Math.floor((await putEntry(key, { value: 1 })).status / 100)]).toEqual([key, 4]);
  });

  it("masks a secret in every answer", async () => {
    const secret = `hush-${Date.now()}`;
    const answers = [
      await putEntry("vendor.key", { value: secret, isSecret: true }, { "idempotency-key": secret.slice(5) }),
      await putEntry("vendor.key", { value: secret, isSecret: true }, { "idempotency-key": secret.slice(5) }),
      await get("vendor.key"),
      await request("GET /v1/config?prefix=vendor.", { token }),
      await graphql('{ configEntryHistory(key: "vendor.key") { items { value version changedBy } } }', { token }),
      await putEntry("vendor.key", { value: "********", isSecret: true }),
      await putEntry("vendor.key", { isSecret: false }),
    ];
    for (const { text } of answers) expect(text).not.toContain(secret);
    expect(answers.slice(0, 4).map(({ text }) => text.includes("********"))).toEqual([true, true, true, true]);
    expect(answers.slice(5).map(refusal)).toEqual(["422 CONFIGURATION_INVALID", "400 VALIDATION_FAILED"]);
    const leaks = await rows(
      `select 1 from spine.configuration_entries where sealed_value like $1 or value::text like $1
       union all select 1 from spine.outbox where envelope::text like $1
       union all select 1 from spine.idempotency_records where result::text like $1`,
      [`%${secret}%`],
    );
    expect(leaks).toEqual([]);
  });

  it("refuses a wrong type of a known setting with its pointer, and changes of limits", async () => {
    const wrong = await putEntry("signIn.allowedEmailDomains", { value: ["acme.example", 7] });
    expect([refusal(wrong), refusedFields(wrong)]).toEqual(["422 CONFIGURATION_INVALID", ["/value/1 TYPE"]]);
    const limit = await putEntry("limits.rateLimitFactor", { value: 100 });
    expect(refusal(limit)).toBe("403 CONFIGURATION_READ_ONLY");
    expect((await get("limits.rateLimitFactor")).body).toMatchObject({ value: 1, readOnly: true });
    const { body } = await graphql<{ setTenantLimits: Json }>(
      `mutation { setTenantLimits(tenantId: "${tenant.tenantId}", input: { rateLimitFactor: 4 }) { limits { rateLimitFactor } } }`,
      { token: await platformToken() },
    );
    expect(body.data.setTenantLimits["limits"]["rateLimitFactor"]).toBe(4);
    expect((await get("limits.rateLimitFactor")).body["value"]).toBe(4);
  });
});

describe("signIn.passwordMinLength", () => {
  it("holds for the next password, by the API and on the page", async () => {
    const strict = await aTenantWith("signIn.passwordMinLength", 20);
    const link = await invitationToken((await anInvitation(strict.token)).email);
    const short = await acceptInvitation(link, "nineteen characters");
    expect([refusal(short), refusedFields(short)]).toEqual(["422 PASSWORD_REFUSED", ["/password TOO_SHORT"]]);
    const page = await fetch(`${platform().publicUrl}/connect/invitation?token=${link}`);
    expect(await page.text()).toContain("20 to 128 characters");
    await setByPeople(strict, "signIn.passwordMinLength", 8);
    expect((await acceptInvitation(link, "nineteen characters")).status).toBe(201);
  });
});

describe("signIn.allowedEmailDomains", () => {
  it("refuses invitations to other addresses, and their acceptance", async () => {
    const closedTenant = await aTenant();
    const ownerToken = await closedTenant.tokenWith();
    const early = await anInvitation(ownerToken);
    await putEntry("signIn.allowedEmailDomains", { value: ["acme.example"] }, {}, ownerToken);
    const invite = (email: string) =>
      request("POST /v1/users/invitations", { token: ownerToken, body: { email, roleCodes: ["Viewer"] } });
    for (const email of [anAddress("evil.example"), anAddress("sub.acme.example"), anAddress("acme.example.evil")]) {
      const refusedAnswer = await invite(email);
      expect([refusal(refusedAnswer), refusedFields(refusedAnswer)]).toEqual([
        "422 EMAIL_DOMAIN_REFUSED",
        ["/email UNKNOWN_VALUE"],
      ]);
    }
    expect((await invite(anAddress("ACME.example"))).status).toBe(201);
    expect(refusal(await acceptInvitation(await invitationToken(early.email)))).toBe("422 EMAIL_DOMAIN_REFUSED");
    const resent = await request(`POST /v1/users/invitations/${early.invitationId}/resend`, { token: ownerToken });
    expect(refusal(resent)).toBe("422 EMAIL_DOMAIN_REFUSED");
  });
});

describe("signIn.sessionHours", () => {
  /** Moves a user's sign-in into the past, as if the hours had passed. */
  const earlier = (userId: string, hours: number) =>
    rows(
      `update spine.oidc_artifacts set payload = payload
         || case when payload ? 'authTime' then jsonb_build_object('authTime', (payload->>'authTime')::int - $2) else '{}' end
         || case when payload ? 'loginTs' then jsonb_build_object('loginTs', (payload->>'loginTs')::int - $2) else '{}' end
       where payload->>'accountId' = $1`,
      [userId, hours * 3600],
    );

  it("ends refresh tokens and browser sessions so many hours after the sign-in, also existing ones", async () => {
    const brief = await aTenant();
    const [ownerToken, desk, person] = [
      await brief.tokenWith(),
      await aPasswordClient(brief.tenantId),
      await aPerson(brief),
    ];
    const studio = await aSignInClient(brief.tenantId, { scopes: ["templates.read"], firstParty: true });
    const browser = new Browser(platform().publicUrl);
    returned(await signInAs(browser, await browser.open(authorizeUrl(studio)), person));
    const first = await signedIn(desk, person);
    await earlier(person.userId, 2);
    const second = await refreshed(desk, first.refresh_token);
    expect(second.status).toBe(200);
    returned(await browser.open(authorizeUrl(studio)));

    await putEntry("signIn.sessionHours", { value: 1 }, {}, ownerToken);
    expect(await refreshed(desk, second.refresh_token)).toMatchObject({ status: 400, error: "invalid_grant" });
    expect((await browser.open(authorizeUrl(studio))).text).toContain('name="password"');
    const again = await signedIn(desk, person);
    expect([again.status, (await refreshed(desk, again.refresh_token)).status]).toEqual([200, 200]);
  });
});

describe("governance.publish.requiresApproval", () => {
  const key = "governance.publish.requiresApproval";
  const publishing: readonly Scope[] = ["templates.publish", "libraries.publish"];
  const scopesOf = (accessToken: string) => String(decodeJwt(accessToken)["scope"]).split(" ");

  async function publish(as: string, writer: string): Promise<unknown> {
    const { templateVersionId } = await aTemplateVersion(writer, await aTemplateSource());
    const { body } = await graphql(
      `mutation { publishTemplateVersion(templateVersionId: "${templateVersionId}") { status } }`,
      { token: as },
    );
    return body.errors?.[0]?.extensions.code;
  }

  const approve = (approvalId: string, as: string) =>
    request(`POST /v1/approvals/${approvalId}/approve`, { token: as, body: {} });

  it("lets agents publish without an approval where two people have set it off", async () => {
    const open = { ...(await aTenant()), token: "" };
    open.token = await open.tokenWith();
    await setByPeople(open, key, false);
    const [agent, service] = [await anAgent(open.tenantId), await aService(open.tenantId)];
    const { body, status } = await exchange(agent, service.token, { scope: "templates.publish" });
    expect([status, decodeJwt(body["access_token"])]).toMatchObject([200, { publishApproval: "NotRequired" }]);
    // it passes the guard; the version has not been validated
    expect(await publish(body["access_token"], open.token)).toBe("TEMPLATE_VERSION_NOT_VALIDATED");
    await putEntry(key, { value: ["Agent"] }, {}, open.token);
    const refusedAnswer = await exchange(agent, service.token, { scope: "templates.publish" });
    expect([refusedAnswer.status, refusedAnswer.body["error"]]).toEqual([400, "approval_required"]);
  });

  it("is never changed by an agent, nor by a principal that may not approve", async () => {
    const guardedTenant = await aTenant();
    const [agent, service] = [await anAgent(guardedTenant.tenantId), await aService(guardedTenant.tenantId)];
    const { body } = await exchange(agent, service.token, { scope: "config.manage" });
    const asAgent = String(body["access_token"]);
    expect(refusal(await putEntry(key, { value: false }, {}, asAgent))).toBe("403 SELF_APPROVAL");
    expect((await putEntry("studio.theme", { value: "dark" }, {}, asAgent)).status).toBe(201);
    const asManager = await guardedTenant.tokenWith("config.manage");
    const refusedAnswer = await putEntry(key, { value: false }, {}, asManager);
    expect([refusal(refusedAnswer), refusedAnswer.body["requiredScopes"]]).toEqual([
      "403 INSUFFICIENT_SCOPE",
      ["governance.approve"],
    ]);
    expect((await putEntry(key, { value: true }, {}, service.token)).status).toBe(201);
    const deletion = await request(`DELETE /v1/config/${key}`, { token: asAgent });
    expect(refusal(deletion)).toBe("403 SELF_APPROVAL");
  });

  it("lets a service publish only after an approval by somebody else, and not longer than that", async () => {
    const strict = await aTenantWith(key, ["Agent", "Service"]);
    const service = await aService(strict.tenantId, ["templates.write", ...publishing]);
    expect(scopesOf(service.token)).toEqual(["templates.write"]);
    expect(await publish(service.token, strict.token)).toBe("APPROVAL_REQUIRED");
    const ask = (scope?: string) =>
      postForm("/connect/token", service, {
        grant_type: "client_credentials",
        ...(scope === undefined ? {} : { scope }),
      });
    const refusedAnswer = (await ask("templates.publish")) as unknown as Record<string, string>;
    expect(refusedAnswer).toMatchObject({ status: 400, error: "approval_required", code: "APPROVAL_REQUIRED" });
    const approvalId = refusedAnswer["approval_id"] ?? "";
    expect(await ask("templates.publish")).toMatchObject({ approval_id: approvalId });

    const governing = await aService(strict.tenantId, ["governance.approve", "templates.publish"]);
    expect(refusal(await approve(approvalId, service.token))).toBe("403 INSUFFICIENT_SCOPE");
    expect((await approve(approvalId, governing.token)).status).toBe(200);
    const approvedToken = (await ask("templates.publish")).access_token;
    expect(decodeJwt(approvedToken)).toMatchObject({ scope: "templates.publish", approvalId });
    expect(scopesOf((await ask()).access_token)).toEqual(["templates.write", "templates.publish"]);
    expect(await publish(approvedToken, strict.token)).toBe("TEMPLATE_VERSION_NOT_VALIDATED");
    expect(await ask("libraries.publish")).toMatchObject({ error: "approval_required" });

    await rows("update spine.approvals set valid_until = now() + interval '60 seconds' where approval_id = $1", [
      decodeId("apr", approvalId),
    ]);
    const { exp = 0, iat = 0 } = decodeJwt((await ask("templates.publish")).access_token);
    expect(exp - iat).toBeLessThanOrEqual(60);
    await rows("update spine.approvals set valid_until = now() where approval_id = $1", [decodeId("apr", approvalId)]);
    expect(scopesOf((await ask()).access_token)).toEqual(["templates.write"]);
  });

  describe("of all principals", () => {
    let strict: Awaited<ReturnType<typeof aTenantWith>>;
    let desk: Awaited<ReturnType<typeof aPasswordClient>>;
    let publisher: Person;
    let owner: Person;

    beforeAll(async () => {
      strict = await aTenantWith(key, true);
      desk = await aPasswordClient(strict.tenantId);
      // the tokens for the tenant's service were issued without publishing scopes, so a client cannot give these roles
      [publisher, owner] = [await aPerson(strict, "Viewer"), await aPerson(strict, "Viewer")];
      await rows(
        `insert into spine.role_assignments (tenant_id, assignment_id, role_id, principal_id, assigned_by, assigned_at)
         select tenant_id, gen_random_uuid(), role_id, unnest($2::text[]), 'test', now() from spine.roles
         where tenant_id = $1 and code = 'TenantOwner'`,
        [decodeId("ten", strict.tenantId), [publisher.userId, owner.userId]],
      );
    });

    /** A token for somebody who has just signed in in a browser. */
    const inBrowser = async (person: Person) => {
      const studio = await aSignInClient(strict.tenantId, { scopes: tenantScopes, firstParty: true });
      return (await browserTokens(studio, person, "openid governance.approve")).access_token;
    };

    const ask = (scope: string) =>
      postForm("/connect/token", desk, {
        ...{ grant_type: "password", username: publisher.email, password: publisher.password },
        scope,
      }) as unknown as Promise<Record<string, string>>;

    it("a user publishes after another user has approved, who signs in at the same client", async () => {
      const plain = await signedIn(desk, publisher);
      expect(scopesOf(plain.access_token).filter((scope) => scope.endsWith(".publish"))).toEqual([]);
      expect(decodeJwt(plain.access_token)).toMatchObject({ withheldScopes: expect.arrayContaining([...publishing]) });
      expect(await publish(plain.access_token, strict.token)).toBe("APPROVAL_REQUIRED");
      const { error, approval_id: approvalId = "" } = await ask("templates.publish");
      expect(error).toBe("approval_required");
      expect(refusal(await approve(approvalId, plain.access_token))).toBe("403 SELF_APPROVAL");
      const approver = await inBrowser(owner);
      expect((await approve(approvalId, approver)).status).toBe(200);
      const after = await refreshed(desk, plain.refresh_token);
      expect(scopesOf(after.access_token)).toContain("templates.publish");
      expect(scopesOf(after.access_token)).not.toContain("libraries.publish");
      expect(await publish(after.access_token, strict.token)).toBe("TEMPLATE_VERSION_NOT_VALIDATED");
      // an approved scope cannot be passed on to a client, whose token would not end with the approval
      const { body } = await graphql(
        'mutation { createApiClient(input: { name: "kept", scopes: ["templates.publish"] }) { clientId } }',
        { token: after.access_token },
      );
      expect(body.errors?.[0]?.extensions.code).toBe("INSUFFICIENT_SCOPE");
    });

    it("an agent of a user publishes after its own approval", async () => {
      const agent = await anAgent(strict.tenantId);
      const { access_token: subject } = await signedIn(desk, owner);
      const form = { scope: "libraries.publish", agent_task_id: "release" };
      const { body } = await exchange(agent, subject, form);
      expect(body["error"]).toBe("approval_required");
      expect(refusal(await approve(body["approval_id"], subject))).toBe("403 SELF_APPROVAL");
      const approver = await inBrowser(publisher);
      expect((await approve(body["approval_id"], approver)).status).toBe(200);
      const approvedExchange = await exchange(agent, subject, form);
      expect(decodeJwt(approvedExchange.body["access_token"])).toMatchObject({
        ...{ scope: "libraries.publish", principalType: "Agent", approvalId: body["approval_id"] },
      });
    });

    it("where only users need an approval, an agent does not get what its user may not use", async () => {
      await rows("update spine.configuration_entries set value = $2 where tenant_id = $1 and key = $3", [
        decodeId("ten", strict.tenantId),
        '["User"]',
        key,
      ]);
      await rows("select pg_notify('spine_configuration', $1)", [strict.tenantId]);
      const agent = await anAgent(strict.tenantId);
      const { access_token: subject } = await signedIn(desk, owner);
      const { status, body } = await exchange(agent, subject, { scope: "libraries.publish", agent_task_id: "bypass" });
      expect([status, body["error"]]).toEqual([400, "invalid_scope"]);
    });
  });
});
