import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { aSealAfter, letADayPass } from "../kit/audit.js";
import { rows } from "../kit/database.js";
import { eventually } from "../kit/eventually.js";
import { graphql, request } from "../kit/request.js";
import { aTenant, platformToken, type TestTenant } from "../kit/tenants.js";

interface AuditRecord {
  readonly [member: string]: unknown;
  readonly recordId: string;
  readonly tenantId: string;
  readonly position: number;
  readonly subject: string | null;
  readonly count: number | null;
}

interface Page {
  readonly items: readonly AuditRecord[];
  readonly nextCursor: string | null;
}

interface Verification {
  readonly status: string;
  readonly checkedThrough: number;
  readonly firstBroken: { position: number; reason: string } | null;
}

let tenant: TestTenant;
let token: string;
const userAgent = "audit test/1";
const headers = { "user-agent": userAgent };

beforeEach(async () => {
  tenant = await aTenant();
  token = await tenant.tokenWith();
});

async function list(query = "", by = token): Promise<readonly AuditRecord[]> {
  const { status, body } = await request<Page>(`GET /v1/audit-records?limit=200${query}`, { token: by });
  expect(status).toBe(200);
  return body.items;
}

/** Waits for records that the query finds. */
async function recorded(query: string, by = token): Promise<readonly AuditRecord[]> {
  let records: readonly AuditRecord[] = [];
  await eventually(`the audit log has ${query}`, async () => {
    records = await list(query, by);
    return records.length > 0;
  });
  return records;
}

async function verify(seal?: string): Promise<Verification> {
  const { body } = await graphql<{ verifyAuditLog: Verification }>(
    "query ($seal: String) { verifyAuditLog(seal: $seal) { status checkedThrough firstBroken { position reason } } }",
    { token, variables: { seal } },
  );
  expect(body.errors).toBeUndefined();
  return body.data.verifyAuditLog;
}

const traceOf = (answer: { headers: Headers }) => answer.headers.get("x-trace-id");
const change = (sql: string, ...values: unknown[]) => rows(sql, [decodeId("ten", tenant.tenantId), ...values]);

const mutations = {
  registerTemplate: {
    at: "POST /v1/templates",
    body: { name: "audited", category: "Service" },
    source: "/catalog",
    subject: /^templates\/tpl_/,
  },
  registerProvider: {
    at: "POST /integrations/providers",
    body: { key: "audited", displayName: "Audited", category: "Payment", authModel: "None", capabilities: ["a.b"] },
    source: "/integration",
    subject: /^providers\/prv_/,
  },
  inviteUser: {
    at: "POST /v1/users/invitations",
    body: { email: "audited@example.com", roleCodes: ["Viewer"] },
    source: "/spine",
    subject: /^invitations\/inv_/,
  },
} as const;

describe("the audit log", () => {
  it.each(Object.entries(mutations))(
    "has who did %s, on what, from where, in which trace",
    async (operation, mutation) => {
      const answer = await request(mutation.at, { token, headers, body: mutation.body });
      expect(answer.status).toBe(201);
      const [record, ...others] = await recorded(`&operation=${operation}`);
      expect(others).toEqual([]);
      expect(record).toMatchObject({
        tenantId: tenant.tenantId,
        operation,
        source: mutation.source,
        outcome: "Succeeded",
        principal: expect.stringMatching(/^cli_/),
        principalType: "Service",
        address: expect.stringMatching(/^(127\.0\.0\.1|::1|::ffff:127)/),
        userAgent,
        traceId: traceOf(answer),
        code: null,
      });
      expect(record?.subject).toMatch(mutation.subject);
      expect(await verify()).toMatchObject({ status: "Intact" });
    },
  );

  it("has refusals with their code, and counts equal ones together", async () => {
    const template = { token, headers, body: { name: "twice", category: "Service" } };
    expect((await request("POST /v1/templates", template)).status).toBe(201);
    let code = "";
    for (let times = 0; times < 4; times += 1) {
      const { status, body } = await request("POST /v1/templates", template);
      expect(status).toBe(409);
      code = String(body["code"]);
    }
    const weak = await tenant.tokenWith("libraries.read");
    expect((await request("POST /v1/templates", { ...template, token: weak })).status).toBe(403);
    const conflicts = async () => (await list(`&code=${code}`)).map(({ count }) => count ?? 1);
    await eventually("four conflicts are counted", async () => (await conflicts()).reduce((a, b) => a + b, 0) === 4);
    expect((await conflicts()).length).toBeLessThan(4);
    const [denial] = await recorded("&code=INSUFFICIENT_SCOPE");
    expect(denial).toMatchObject({ outcome: "Refused", status: 403, principalType: "Service" });
    const { body } = await graphql(
      'mutation { createRole(input: { code: "Odd", name: "Odd", scopes: ["nothing.such"] }) { roleId } }',
      { token },
    );
    expect(body.errors?.[0]?.extensions["status"]).toBe(422);
    await eventually("the 422 is recorded", async () =>
      (await list("&outcome=Refused")).some(({ status }) => status === 422),
    );
  });

  it("of the platform has refusals without a tenant, for platform administrators", async () => {
    const answer = await request("GET /v1/templates/none", { headers: { "user-agent": `audit ${tenant.slug}` } });
    expect(answer.status).toBe(401);
    const admin = await platformToken();
    await eventually("the 401 is recorded", async () =>
      (await list("&outcome=Refused", admin)).some(({ status }) => status === 401),
    );
    expect((await list()).filter(({ status }) => status === 401)).toEqual([]);
  });

  it("of one tenant is never seen by another", async () => {
    await request("POST /v1/templates", { token, body: { name: "ours", category: "Service" } });
    const ours = await recorded("&operation=registerTemplate");
    const other = await aTenant();
    const theirs = await list("", await other.tokenWith("audit.read"));
    expect(theirs.filter(({ tenantId }) => tenantId !== other.tenantId)).toEqual([]);
    const ids = new Set(theirs.map(({ recordId }) => recordId));
    expect(ours.filter(({ recordId }) => ids.has(recordId))).toEqual([]);
  });

  it.each(["2026-13-01T00:00:00Z", "yesterday"])("refuses the time %s", async (time) => {
    const refusal = await request(`GET /v1/audit-records?from=${time}`, { token });
    expect([refusal.status, refusal.body["code"]]).toEqual([400, "VALIDATION_FAILED"]);
  });
});

describe("a change of the database", () => {
  let seal: { position: number; jws: string };

  beforeEach(async () => {
    for (const name of ["a", "b", "c", "d"])
      await request("POST /v1/templates", { token, body: { name, category: "Service" } });
    await eventually("four records", async () => (await list("&operation=registerTemplate")).length === 4);
    await letADayPass(tenant.tenantId);
    seal = await aSealAfter(tenant.tenantId, 0);
    await request("POST /v1/templates", { token, body: { name: "e", category: "Service" } });
    await eventually("five records", async () => (await list("&operation=registerTemplate")).length === 5);
    expect(await verify(seal.jws)).toMatchObject({ status: "Intact", firstBroken: null });
  });

  it("that cuts off the newest rows is found, also when the head is moved back", async () => {
    const { position } = seal;
    await change("delete from spine.audit_records where tenant_id = $1 and position >= $2", position);
    expect((await verify()).firstBroken).toEqual({ position, reason: "CutOff" });
    await change(
      `update spine.audit_heads head set position = record.position, hash = record.hash from spine.audit_records record
       where head.tenant_id = $1 and record.tenant_id = $1 and record.position = $2`,
      position - 1,
    );
    expect((await verify()).firstBroken).toEqual({ position, reason: "CutOff" });
    await change("delete from spine.audit_seals where tenant_id = $1");
    expect((await verify(seal.jws)).firstBroken).toEqual({ position, reason: "CutOff" });
  });
});
