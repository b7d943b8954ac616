import { newId } from "@factory/runtime/identifiers/wire-id";
import type { AuditRecord } from "@factory/runtime/messages/audit-record";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { decodeJwt } from "jose";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { aFeed } from "../kit/feed.js";
import { aPerson } from "../kit/people.js";
import { graphql, request } from "../kit/request.js";
import { aPasswordClient, postForm, signedIn } from "../kit/sign-ins.js";
import { aTenant, type TestTenant } from "../kit/tenants.js";
import { anAddress } from "../kit/users.js";

let tenant: TestTenant;
/** Has the scope user.read only. */
let weak: string;

beforeAll(async () => {
  tenant = await aTenant();
  weak = await tenant.tokenWith("user.read");
});

/** The refusals in the tenant's log, once `count` requests are counted. They arrive within two seconds. */
async function refusals(tenantId: string, operation: string, count: number): Promise<AuditRecord[]> {
  let records: AuditRecord[] = [];
  await eventually(`${count} refusals of ${operation}`, async () => {
    const storedRecords = await rows<{ envelope: AuditRecord }>(
      `select envelope from bus.messages where type = 'AuditRecord' and envelope->>'outcome' = 'Refused'
         and envelope->>'tenantid' = $1 and envelope->>'operation' = $2 order by position`,
      [tenantId, operation],
    );
    records = storedRecords.map(({ envelope }) => envelope);
    return records.reduce((sum, { count: calls = 1 }) => sum + calls, 0) >= count;
  });
  expect(records.reduce((sum, { count: calls = 1 }) => sum + calls, 0)).toBe(count);
  return records;
}

const agent = { "user-agent": "refused/1.0" };

describe("a refusal", () => {
  it("over REST has the root field, the principal, the subject and the address, and counts equal ones", async () => {
    const templateId = newId("tpl");
    for (let count = 0; count < 3; count += 1)
      await request(`POST /v1/templates/${templateId}/versions`, { token: weak, body: {}, headers: agent });
    const [record] = await refusals(tenant.tenantId, "createTemplateVersion", 3);
    expect(record).toMatchObject({
      ...{ source: "/gateway", code: "INSUFFICIENT_SCOPE", status: 403, principal: decodeJwt(weak).sub },
      ...{ principaltype: "Service", subject: `templates/${templateId}`, useragent: "refused/1.0" },
    });
    expect(record?.address).toMatch(/^127\.0\.0\.1$|\/64$/);
  });

  it("of a resource with a name has its subject, and each subject its own record", async () => {
    const keys = [`a${Math.random()}`, `b${Math.random()}`];
    for (const key of keys) await request(`PUT /v1/config/${key}`, { token: weak, body: { value: 1 } });
    const records = await refusals(tenant.tenantId, "setConfigEntry", 2);
    expect(records.map(({ subject }) => subject)).toEqual(keys.map((key) => `config/${key}`));
  });

  it("of a token that names another tenant is in the log of its own tenant, with its principal", async () => {
    const other = await aTenant();
    const headers = { "x-tenant-id": other.tenantId };
    expect((await request("GET /v1/users", { token: weak, headers })).status).toBe(403);
    const [overRest] = await refusals(tenant.tenantId, "users", 1);
    expect(overRest).toMatchObject({ code: "TENANT_MISMATCH", principal: decodeJwt(weak).sub });
    const options = { token: weak, headers, body: { query: "{ users { items { userId } } }" } };
    expect((await request("POST /graphql", options)).status).toBe(403);
    const [overGraphql] = await refusals(tenant.tenantId, "POST /graphql", 1);
    expect(overGraphql).toMatchObject({ code: "TENANT_MISMATCH", principal: decodeJwt(weak).sub });
  });

  it("of a subgraph is counted once over REST", async () => {
    const token = await tenant.tokenWith();
    const name = `t${Math.random()}`;
    for (let count = 0; count < 2; count += 1)
      await request("POST /v1/templates", { token, body: { name, category: "Service" } });
    const [conflict] = await refusals(tenant.tenantId, "registerTemplate", 1);
    expect(conflict).toMatchObject({ status: 409, principal: decodeJwt(token).sub });
    const headers = { "idempotency-key": name };
    for (const category of ["Service", "Library"])
      await request("POST /v1/templates", { token, body: { name: `${name}2`, category }, headers });
    const [, invalid] = await refusals(tenant.tenantId, "registerTemplate", 2);
    expect(invalid).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED", status: 422 });
  });

  it("without a token, or with a bad one, is in the log of the platform", async () => {
    const before = await rows<{ count: string }>(
      `select coalesce(sum(coalesce((envelope->>'count')::int, 1)), 0)::text as count from bus.messages
       where type = 'AuditRecord' and envelope->>'tenantid' = $1 and envelope->>'operation' = 'redriveSpineJob'`,
      [platformTenantId],
    );
    const document = `mutation { redriveSpineJob(jobId: "x") { jobId } }`;
    await graphql(document, { headers: agent });
    const refusedCalls = await refusals(platformTenantId, "redriveSpineJob", Number(before[0]?.count) + 1);
    expect(refusedCalls.at(-1)).toMatchObject({ code: "UNAUTHENTICATED", status: 401, address: expect.any(String) });
    expect("principal" in (refusedCalls.at(-1) ?? {})).toBe(false);
  });

  it("over GraphQL is counted for each root field, whatever its alias, and reads count too", async () => {
    const roleId = newId("rol");
    const document = `mutation ($roleId: ID!) { ...more } fragment more on Mutation { gone: deleteRole(roleId: $roleId) { roleId } }`;
    await graphql(document, { token: weak, variables: { roleId } });
    const [deletion] = await refusals(tenant.tenantId, "deleteRole", 1);
    expect(deletion).toMatchObject({ subject: `roles/${roleId}`, status: 403 });
    await graphql("{ libraries { items { libraryId } } }", { token: weak });
    await refusals(tenant.tenantId, "libraries", 1);
  });

  it("over a websocket is counted like one over HTTP", async () => {
    const executionId = newId("exe");
    const query = `subscription { executionStatusChanged(executionId: "${executionId}") { status } }`;
    const feed = await aFeed({ query, token: weak });
    await eventually("it is refused", () => feed.errors.length > 0);
    await feed.stop();
    const [record] = await refusals(tenant.tenantId, "executionStatusChanged", 1);
    expect(record).toMatchObject({
      ...{ code: "INSUFFICIENT_SCOPE", principal: decodeJwt(weak).sub, subject: `executions/${executionId}` },
    });
    expect(record?.address).toMatch(/^127\.0\.0\.1$|\/64$/);
  });

  it("of the git endpoint has the owner of the token", async () => {
    await request(`GET /git/${tenant.slug}/acme/any.git/info/refs?service=git-upload-pack`, { token: weak });
    const [record] = await refusals(tenant.tenantId, "GET /git/{tenantSlug}/{owner}/{name}.git", 1);
    expect(record).toMatchObject({ status: 403, principal: decodeJwt(weak).sub });
  });

  it("of the token endpoint is in the log of the client's tenant, without the secret", async () => {
    const client = await aPasswordClient(tenant.tenantId);
    const wrong = { ...client, clientSecret: "canary-secret-1" };
    expect((await postForm("/connect/token", wrong, { grant_type: "client_credentials" })).status).toBe(401);
    const code = { grant_type: "refresh_token", refresh_token: "canary-refresh-1" };
    expect((await postForm("/connect/token", client, code)).error).toBe("invalid_grant");
    const refusedCalls = await refusals(tenant.tenantId, "POST /connect/token", 2);
    expect(refusedCalls.map(({ code: reason, status, clientid }) => [reason, status, clientid])).toEqual([
      ["INVALID_CLIENT", 401, client.clientId],
      ["INVALID_GRANT", 400, client.clientId],
    ]);
  });

  it("of a sign-in has the e-mail address, and is counted once; a sign-in that succeeds writes one record", async () => {
    const [client, person] = [await aPasswordClient(tenant.tenantId), await aPerson(tenant)];
    const unknown = anAddress();
    await signedIn(client, { ...person, password: "canary-password-1" });
    await signedIn(client, { email: unknown, password: "canary-password-1" });
    const refusedCalls = await refusals(tenant.tenantId, "signIn", 2);
    expect(refusedCalls.map(({ email, subject, clientid }) => [email, subject, clientid])).toEqual([
      [person.email, `users/${person.userId}`, client.clientId],
      [unknown, undefined, client.clientId],
    ]);
    await signedIn(client, person);
    const signedInRecords = await rows<{ envelope: AuditRecord }>(
      "select envelope from spine.outbox where type = 'AuditRecord' and envelope->>'principal' = $1 and envelope->>'operation' = 'signIn'",
      [person.userId],
    );
    expect(signedInRecords.map(({ envelope }) => envelope)).toMatchObject([
      { outcome: "Succeeded", principaltype: "User", clientid: client.clientId, subject: `users/${person.userId}` },
    ]);
  });

  it("holds no secret, password or token", async () => {
    const all = (
      await rows<{ text: string }>("select envelope::text as text from bus.messages where type = 'AuditRecord'")
    )
      .map(({ text }) => text)
      .join("\n");
    for (const canary of ["canary-secret-1", "canary-refresh-1", "canary-password-1", weak.split(".")[2]])
      expect(all).not.toContain(canary);
  });

  it("of an unknown resource or a limit is not in the log", async () => {
    const token = await tenant.tokenWith();
    await request(`GET /v1/roles/${newId("rol")}`, { token });
    await request("GET /v1/nothing", { token });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const foreignRecords = await rows(
      "select from bus.messages where type = 'AuditRecord' and envelope->>'tenantid' = $1 and (envelope->>'status')::int not in (400, 401, 403, 409, 422)",
      [tenant.tenantId],
    );
    expect(foreignRecords).toEqual([]);
  });
});
