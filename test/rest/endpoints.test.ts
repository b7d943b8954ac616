import type { Route } from "@factory/rest-facade/routes/route";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { platformEventTypes } from "@factory/schema/event-names";
import { tenantScopes } from "@factory/schema/scopes";
import { aPendingApproval } from "../kit/agents.js";
import { brokenBodies } from "../kit/broken-bodies.js";
import { aConnection } from "../kit/connections.js";
import { aCredential } from "../kit/credentials.js";
import { exampleBodyOf } from "../kit/described-answers.js";
import { forgedTokens } from "../kit/forged-tokens.js";
import { anIdentityToken } from "../kit/identity-sign-ins.js";
import { aPackageName } from "../kit/libraries.js";
import { aTemplateInput } from "../kit/notifications.js";
import { resetToken } from "../kit/own-security.js";
import { aSignedInPerson } from "../kit/own-sessions.js";
import { aPerson } from "../kit/people.js";
import { aPlanSubscriptionId } from "../kit/plan-subscriptions.js";
import { aSettingChange } from "../kit/protected-settings.js";
import { aProvider } from "../kit/providers.js";
import { refusal, refusedFields } from "../kit/refusal.js";
import { aReportDefinitionId, lastYear } from "../kit/reports.js";
import { type Response, request } from "../kit/request.js";
import { aClientId, aRole } from "../kit/roles.js";
import { anyPath, baseOf, bodySchema, committedGraph, methodOf, servedRoutes } from "../kit/routes.js";
import { ScopeTokens } from "../kit/scope-tokens.js";
import { aTemplateSource, aTemplateVersion, type TestVersion } from "../kit/templates.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";
import { anHourAgo } from "../kit/times.js";
import { aUsedToolServer } from "../kit/tool-server.js";
import { anAddress, anInvitation, aUser, goodPassword, invitationToken } from "../kit/users.js";

type Options = Omit<NonNullable<Parameters<typeof request>[1]>, "token">;

const graph = committedGraph();
const rows = servedRoutes.map((route) => ({ at: route.at as string, route, schema: bodySchema(route, graph) }));
const withBody = rows.flatMap(({ at, route, schema }) => (schema ? [{ at, route, schema }] : []));

let tenant: TestTenant;
let tokens: ScopeTokens;
let tenantToken: string;
let administrator: string;
let personToken: string;
let identityToken: string;
let version: TestVersion;
let roleId: string;
let openInvitation: string;
let openReset: string;
let recipientUserId: string;
/** Users whose inboxes are marked as read, a different one for each request. */
const recipients: string[] = [];
let planSubscriptionId: string;
let reportDefinitionId: string;
let providerId: string;
/** The definition of a tool that waits to be accepted. */
let definitionHash: string;
/** Principals to which a role is assigned, one for each request. */
const principals: string[] = [];
/** Event types, a different one for each example. */
const exampleTypes = Object.keys(platformEventTypes);
/** Credentials to be rotated, one for each request. */
const credentials: string[] = [];

beforeAll(async () => {
  tenant = await aTenant();
  tokens = new ScopeTokens(tenant);
  tenantToken = await tokens.ofTenant();
  administrator = await tokens.ofPlatform();
  personToken = (await aSignedInPerson(tenant)).token;
  identityToken = await anIdentityToken(tenant);
  version = await aTemplateVersion(tenantToken, await aTemplateSource());
  roleId = await aRole(tenantToken);
  planSubscriptionId = await aPlanSubscriptionId(tenantToken);
  reportDefinitionId = await aReportDefinitionId(tenantToken);
  providerId = await aProvider(tenantToken);
  recipientUserId = (await aUser(tenantToken)).userId;
  for (let count = 0; count < 6; count += 1) recipients.push(newId("usr"));
  openReset = await resetToken(await aPerson(tenant));
  openInvitation = await invitationToken((await anInvitation(tenantToken)).email);
  for (let count = 0; count < 6; count += 1) principals.push(await aClientId(tenantToken));
  for (let count = 0; count < 4; count += 1) credentials.push((await aCredential(tenantToken)).credentialId);
});

function goodToken({ platformAdmin, forPeople }: Route): string {
  if (forPeople) return personToken;
  return platformAdmin ? administrator : tenantToken;
}

const call = (route: Route, token: string | undefined, options: Options = {}): Promise<Response<unknown>> =>
  request<unknown>(`${methodOf(route.at)} ${anyPath(route.at)}`, { base: baseOf(route), token, ...options });

/** Sends a request, with a body if the method allows one. */
const send = (route: Route, options: Options = {}) => call(route, goodToken(route), options);

const text = (content: string, type = "application/json"): Options => ({
  raw: content,
  headers: { "content-type": type },
});

describe.each(rows.filter(({ route }) => route.anonymous === true))("$at", ({ route }) => {
  it("needs no token and ignores a token", async () => {
    const answers = [await call(route, undefined), await call(route, "garbage"), await send(route)];
    for (const answer of answers) {
      expect(refusal(answer)).toBe("400 VALIDATION_FAILED");
      expect(answer.headers.get("ratelimit-policy")).toContain('"anonymous"');
    }
  });
});

describe("endpoints without authentication", () => {
  it("are these", () => {
    const open = rows.filter(({ route }) => route.anonymous === true);
    expect(open.map(({ at }) => at)).toEqual([
      ...["POST /v1/users/invitations/accept", "POST /v1/password-resets", "POST /v1/password-resets/complete"],
    ]);
  });
});

const withToken = rows.filter(({ route }) => route.anonymous !== true).map((row, place) => ({ ...row, place }));

describe.each(withToken)("$at", ({ route, place }) => {
  it("requires a token", async () => {
    const answer = await call(route, undefined);
    expect(refusal(answer)).toBe("401 UNAUTHENTICATED");
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  it("refuses a token that the platform did not sign", async () => {
    // one verifier serves all endpoints, so each endpoint gets one kind of forgery, and all kinds take turns
    const forgeries = Object.entries(await forgedTokens(goodToken(route)));
    const [name, token] = forgeries[place % forgeries.length] ?? [];
    const answer = await call(route, token);
    expect([name, refusal(answer)]).toEqual([name, "401 TOKEN_INVALID"]);
    expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  if (route.forPeople)
    it("requires a token of a person", async () => {
      expect(refusal(await call(route, tenantToken))).toBe("403 FIRST_PARTY_CLIENT_REQUIRED");
    });
  else scopeTests(route);

  it("refuses a tenant other than that of the token", async () => {
    const headers = { "x-tenant-id": "ten_01jz3b0q8xk0n8v3m1w6y5t2r7" };
    expect(refusal(await send(route, { headers }))).toBe("403 TENANT_MISMATCH");
  });
});

describe.each(withToken)("$at", ({ route }) => {
  it("is closed to the token of a sign-in with openid, profile, email and offline_access alone", async () => {
    const code = route.forPeople ? "FIRST_PARTY_CLIENT_REQUIRED" : "INSUFFICIENT_SCOPE";
    expect(refusal(await call(route, identityToken))).toBe(`403 ${code}`);
  });
});

function scopeTests(route: Route): void {
  it("requires its scope", async () => {
    const unrelated = tenantScopes.find((scope) => !route.scopes.includes(scope)) ?? "user.read";
    const answer = await call(route, await tokens.ofTenant(unrelated));
    expect(refusal(answer)).toBe("403 INSUFFICIENT_SCOPE");
    expect(answer.body).toMatchObject({ requiredScopes: route.scopes });
    const challenge = `Bearer error="insufficient_scope", scope="${route.scopes.join(" ")}"`;
    expect(answer.headers.get("www-authenticate")).toBe(challenge);
  });

  it.each(route.scopes)("is open to %s alone", async (scope) => {
    const ofPlatform = route.platformAdmin || !tenantScopes.includes(scope);
    const token = await (ofPlatform ? tokens.ofPlatform(scope) : tokens.ofTenant(scope));
    const { status } = await call(route, token, /POST|PUT/.test(methodOf(route.at)) ? { body: {} } : {});
    expect([401, 403, 405]).not.toContain(status);
  });
}

describe.each(rows)("$at", ({ route }) => {
  it("names its methods in the answer to another method", async () => {
    const answer = await request(`PROPFIND ${anyPath(route.at)}`, { base: baseOf(route), token: goodToken(route) });
    expect(refusal(answer)).toBe("405 METHOD_NOT_ALLOWED");
    expect(answer.headers.get("allow")?.split(", ")).toContain(methodOf(route.at));
  });

  it("answers hostile path segments without an internal error", async () => {
    const { path } = { path: route.at.split(" ")[1] ?? "" };
    if (!path.includes("{")) return;
    const segments = [
      "%00",
      "%ff",
      "..%2f..",
      "tpl_",
      "TPL_01JZ3B0Q8XK0N8V3M1W6Y5T2R7",
      "'; select 1",
      "x".repeat(3000),
    ];
    for (const segment of segments) {
      const hostile = path.replaceAll(/\{\w+\}/g, encodeURI(segment).replaceAll("%25", "%"));
      const body = methodOf(route.at) === "GET" ? {} : { body: {} };
      const answer = await request(`${methodOf(route.at)} ${hostile}`, {
        base: baseOf(route),
        token: goodToken(route),
        ...body,
      });
      expect([segment, answer.status >= 400 && answer.status < 500]).toEqual([segment, true]);
      expect(refusal(answer)).toMatch(/^4\d\d [A-Z_]+$/);
    }
  });
});

describe.each(withBody)("the body of $at", ({ route, schema }) => {
  it("must be JSON by its media type", async () => {
    for (const type of ["text/plain", "application/xml", "application/x-www-form-urlencoded", "application/jsonx"])
      expect([type, refusal(await send(route, text("{}", type)))]).toEqual([type, "415 UNSUPPORTED_MEDIA_TYPE"]);
    expect(refusal(await send(route, text("{}", "application/json; charset=latin1")))).toMatch(/^415 /);
  });

  it("must be JSON", async () => {
    for (const malformedBody of ["{", "{'a':1}", '{"a":1,}', '{"a":1}{"a":2}', "undefined", "\u0000", '{"a":"\n"}'])
      expect([malformedBody, refusal(await send(route, text(malformedBody)))]).toEqual([
        malformedBody,
        "400 MALFORMED_JSON",
      ]);
    const latin1 = { raw: Buffer.from('{"name":"\xe9"}', "latin1"), headers: { "content-type": "application/json" } };
    expect(refusal(await send(route, latin1))).toBe("400 MALFORMED_JSON");
  });

  it("may have at most 1 MiB", async () => {
    const filledBody = (bytes: number) => `{"filler":"${"x".repeat(bytes - 13)}"}`;
    expect(refusal(await send(route, text(filledBody(1024 * 1024 + 1))))).toBe("413 PAYLOAD_TOO_LARGE");
    expect((await send(route, text(filledBody(1024 * 1024)))).status).not.toBe(413);
  });

  it("may be nested only up to a limit", async () => {
    const nestedBody = (open: string, close: string) => `{"a":${open.repeat(5000)}${close.repeat(5000)}}`;
    expect(refusal(await send(route, text(nestedBody("[", "]"))))).toBe("400 MALFORMED_JSON");
    expect(refusal(await send(route, text(nestedBody('{"a":', "}"))))).toBe("400 MALFORMED_JSON");
  });

  it("must be an object", async () => {
    for (const other of ["[]", '["a"]', '"text"', "7", "true", "null"]) {
      const answer = await send(route, text(other));
      expect([other, refusal(answer)]).toEqual([other, "400 VALIDATION_FAILED"]);
      expect(refusedFields(answer)).toEqual([" TYPE"]);
    }
  });

  it("must not contain text that cannot be stored", async () => {
    for (const escape of ["\\u0000", "\\ud800", "\\udc00\\ud800"]) {
      const answer = await send(route, text(`{"filler":{"inner":["a${escape}b"]}}`));
      expect(refusal(answer)).toBe("400 VALIDATION_FAILED");
      expect(refusedFields(answer)).toEqual(["/filler/inner/0 FORMAT"]);
    }
  });

  it("is refused with an error for every limit that it exceeds", async () => {
    const wrong: unknown[] = [];
    const bodies = brokenBodies(schema).filter(({ says }) => !says.startsWith(" "));
    expect(bodies.length).toBeGreaterThan(0);
    await Promise.all(
      bodies.map(async ({ says, body }) => {
        const answer = await send(route, { body });
        const fieldErrors = refusedFields(answer);
        if (refusal(answer) !== "400 VALIDATION_FAILED" || !fieldErrors.includes(says))
          wrong.push({ says, answer: refusal(answer), refused: fieldErrors });
      }),
    );
    expect(wrong).toEqual([]);
  });
});

const endpoint = "http://127.0.0.1:9/hooks";
const unique = () => `walk-${Math.random().toString(36).slice(2)}`;

/**
 * Members that replace members of the document's example, by row: they name objects of this test, or must be new. The
 * test of a row that needs some and is missing here fails.
 */
const goodBodies: Record<string, () => Record<string, unknown>> = {
  "POST /v1/templates": () => ({ name: unique() }),
  "POST /v1/templates/{templateId}/versions": () => ({
    semanticVersion: `1.0.0-${unique()}`,
  }),
  "POST /v1/templates/{templateId}/execute": () => ({
    templateVersionId: version.templateVersionId,
    target: { repository: `walk/${unique()}` },
  }),
  "POST /v1/templates/{templateId}/validate": () => ({
    templateVersionId: version.templateVersionId,
  }),
  "POST /v1/templates/{templateId}/compatibility/evaluate": () => ({
    templateVersionId: version.templateVersionId,
  }),
  "POST /v1/libraries": () => ({ packageName: aPackageName() }),
  "POST /v1/roles/{roleId}/assignments": () => ({ principalId: principals.pop(), userId: null }),
  "PUT /v1/config/{key}": () => ({ value: unique() }),
  "PUT /v1/feature-flags/{key}": () => ({ description: unique() }),
  "POST /v1/approvals/{approvalId}/approve": () => ({ comment: unique() }),
  "POST /v1/approvals/{approvalId}/reject": () => ({ comment: unique() }),
  "POST /v1/tenants/{tenantId}/setting-changes/{approvalId}/approve": () => ({ comment: unique() }),
  "POST /v1/tenants/{tenantId}/setting-changes/{approvalId}/reject": () => ({ comment: unique() }),
  "POST /v1/subscriptions/{id}/cancel": () => ({ reason: unique() }),
  "PUT /v1/notification-templates/{key}": () => ({ texts: [{ ...aTemplateInput.texts[0], subject: unique() }] }),
  "POST /v1/notifications": () => ({ body: unique() }),
  "POST /v1/notifications/broadcasts": () => ({ body: unique() }),
  "POST /v1/notifications/read": () => ({ recipientUserId: recipients.pop() }),
  "PUT /v1/notifications/preferences": () => ({
    recipientUserId,
    preferences: [{ channel: "Sms", category: unique(), enabled: false }],
  }),
  "POST /v1/reports/{id}/generate": () => ({ parameters: lastYear }),
  "POST /v1/users/invitations": () => ({ email: anAddress() }),
  "POST /v1/users/invitations/accept": () => ({ token: openInvitation, password: goodPassword }),
  "POST /v1/password-resets": () => ({ email: anAddress() }),
  "POST /v1/password-resets/complete": () => ({ token: openReset, password: `new ${goodPassword}` }),
  "POST /integrations/providers": () => ({
    key: unique(),
  }),
  "PATCH /integrations/providers/{providerId}": () => ({ displayName: unique() }),
  "POST /integrations/connections": () => ({ providerId, displayName: unique() }),
  "PATCH /integrations/connections/{connectionId}": () => ({ displayName: unique() }),
  "POST /integrations/connections/{connectionId}/suspend": () => ({ reason: unique() }),
  "POST /integrations/connections/{connectionId}/resume": () => ({ reason: unique() }),
  "POST /integrations/connections/{connectionId}/tools/accept": () => ({ toolName: "works", definitionHash }),
  "POST /webhooks/subscriptions": () => ({ signingSecretRef: unique() }),
  "PATCH /webhooks/subscriptions/{subscriptionId}": () => ({ projectId: unique() }),
  "POST /webhooks/subscriptions/{subscriptionId}/rotate-secret": () => ({
    graceSeconds: Math.floor(Math.random() * 600_000),
  }),
  "POST /webhooks/subscriptions/{subscriptionId}/examples": () => ({ eventType: exampleTypes.shift() }),
  "POST /webhooks/subscriptions/{subscriptionId}/replay": () => ({ since: anHourAgo() }),
  "POST /integrations/credentials": () => ({ name: unique() }),
  "POST /integrations/credentials/rotate": () => ({ credentialId: credentials.pop() }),
  "PATCH /integrations/credentials/{credentialId}": () => ({ graceSeconds: Math.floor(Math.random() * 600_000) }),
  "POST /integrations/credentials/{credentialId}/revoke": () => ({ reason: unique() }),
  "POST /v1/tenants": () => ({ slug: unique() }),
};

describe.each(withBody)("a valid body of $at", ({ at, route }) => {
  let approvalId = "";
  if (at.includes("{approvalId}"))
    beforeEach(async () => {
      approvalId = at.includes("/setting-changes/")
        ? (await aSettingChange(tenant)).approvalId
        : await aPendingApproval(tenant.tenantId);
    });

  let userId = "";
  if (at.includes("{userId}"))
    beforeEach(async () => {
      ({ userId } = await aUser(tenantToken));
    });

  let connectionId = "";
  if (at.includes("{connectionId}"))
    beforeEach(async () => {
      if (at.endsWith("/tools/accept"))
        ({ connectionId, definitionHash } = await aUsedToolServer(tenantToken, unique()));
      else connectionId = await aConnection(tenantToken, providerId);
      if (at.endsWith("/resume"))
        await request(`POST /integrations/connections/${connectionId}/suspend`, { token: tenantToken, body: {} });
    });

  let credentialId = "";
  if (at.includes("{credentialId}"))
    beforeEach(async () => {
      ({ credentialId } = await aCredential(tenantToken));
    });

  let subscriptionId = "";
  if (at.includes("{subscriptionId}"))
    beforeEach(async () => {
      const body = { eventType: "TemplateRegistered", endpointUrl: endpoint, signingSecretRef: unique() };
      const answer = await request<{ subscriptionId: string }>("POST /webhooks/subscriptions", {
        token: tenantToken,
        body,
      });
      ({ subscriptionId } = answer.body);
    });

  const post = (body: unknown, headers: Record<string, string> = {}) => {
    const ids = {
      templateId: version.templateId,
      tenantId: tenant.tenantId,
      roleId,
      userId,
      approvalId,
      connectionId,
      credentialId,
      providerId,
      subscriptionId,
      id: at.includes("/v1/reports/") ? reportDefinitionId : planSubscriptionId,
      // a platform template's key, or one that is new
      key: at.endsWith("/preview")
        ? "report-ready"
        : (headers["idempotency-key"]?.match(/^walk-\w+$/)?.[0] ?? unique()),
    };
    const path = Object.entries(ids).reduce(
      (path, [name, id]) => path.replace(`{${name}}`, id),
      at.split(" ")[1] ?? "",
    );
    return request<unknown>(`${methodOf(at)} ${path}`, { base: baseOf(route), token: goodToken(route), body, headers });
  };
  const goodBody = () => ({ ...exampleBodyOf(at), ...goodBodies[at]?.() });
  let lastAnswer: Response<unknown> | undefined;

  it("is accepted with unknown members, and with null for optional members", async () => {
    const answer = await post({
      ...goodBody(),
      unheardOf: { deep: [1, { x: null }] },
      ["__proto__"]: { a: 1 },
      tags: null,
    });
    expect([answer.status, answer.text]).toEqual([route.reply, expect.stringContaining("{")]);
    lastAnswer = answer;
    expect(answer.headers.get("x-trace-id")).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  if (route.location)
    it("is answered with a Location that can be read", async () => {
      const place = `GET ${lastAnswer?.headers.get("location")}`;
      const resource = await request(place, { base: baseOf(route), token: goodToken(route) });
      expect([place, resource.status]).toEqual([place, 200]);
      const conditions = { "if-none-match": resource.headers.get("etag") ?? "none" };
      const again = await request(place, { base: baseOf(route), token: goodToken(route), headers: conditions });
      // an execution may have changed in the meantime
      expect([200, 304].slice(route.reply === 202 ? 0 : 1)).toContain(again.status);
    });

  if (route.idempotent)
    it("is processed once for one Idempotency-Key", async () => {
      const [key, body] = [unique(), goodBody()];
      const first = await post(body, { "idempotency-key": key });
      expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([route.reply, null]);
      const again = await post(body, { "idempotency-key": key });
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([route.reply, "true"]);
      const { signingSecret: _, ...visibleBody } = first.body as Record<string, unknown>;
      expect(again.body).toMatchObject(visibleBody);
      expect(again.headers.get("location")).toBe(first.headers.get("location"));
      const other = await post({ ...goodBody(), ...changed(body) }, { "idempotency-key": key });
      expect(refusal(other)).toBe("422 IDEMPOTENCY_KEY_REUSED");
      for (const wrong of ["", "a b", "x".repeat(256), "schl\xfcssel"])
        expect(refusal(await post(body, { "idempotency-key": wrong }))).toBe("400 IDEMPOTENCY_KEY_INVALID");
    });
});

/** A different body with the same shape. */
function changed(body: Record<string, unknown>): Record<string, unknown> {
  if ("libraries" in body) return { libraries: [{ packageName: "Other", version: "1.0.0" }] };
  if ("billingCycle" in body) return { billingCycle: "Monthly" };
  if ("format" in body) return { format: "json" };
  if ("clients" in body) return { clients: "Disable" };
  if ("toolName" in body) return { toolName: "fails" };
  return "checks" in body ? { checks: ["ParameterSchema"] } : {};
}

describe("any other path", () => {
  it("is not found", async () => {
    for (const path of ["/v1/nothing", "/v1/templates/", "/v2/templates", "/V1/TEMPLATES", "//v1/templates"])
      expect([path, refusal(await request(`GET ${path}`, { token: tenantToken }))]).toEqual([
        path,
        expect.stringMatching(/^40[45] /),
      ]);
    expect(refusal(await request(`GET /${"x".repeat(9000)}`, { token: tenantToken }))).toBe("414 URI_TOO_LONG");
  });
});
