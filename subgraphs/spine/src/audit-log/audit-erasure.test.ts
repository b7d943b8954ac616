import { newId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { settingDefault } from "@factory/schema/tenant-settings";
import pg from "pg";
import { aUser } from "../people/users/user.fixture.js";
import { principal, until } from "../running-spine.fixture.js";
import { aRecord, RunningAuditLog } from "./audit-log.fixture.js";

let log: RunningAuditLog;
let tenantId: string;

beforeAll(async () => {
  log = await RunningAuditLog.start();
});
beforeEach(() => {
  tenantId = newId("ten");
});
afterAll(() => log.platform.stop());

async function deleteUser(userId: string): Promise<void> {
  const { errors } = await log.platform.ask(
    principal(tenantId, ["user.invite", "user.read"]),
    "mutation ($id: ID!) { deleteUser(userId: $id) { status } }",
    { id: userId },
  );
  expect(errors).toEqual([]);
}

const personal = async () =>
  (await log.list(tenantId)).flatMap(({ operation, address, email, userAgent }) =>
    address || email || userAgent ? [{ operation, address, email, userAgent }] : [],
  );

describe("a deleted person", () => {
  beforeEach(async () => {
    slug += 1;
    tenantId = await log.platform.activeTenant(`audited-${slug}`);
  });
  let slug = 0;

  it("is forgotten by the audit log, which stays intact, also by records that arrive later", async () => {
    const [ada, other] = [await aUser(log.platform, tenantId, []), await aUser(log.platform, tenantId, [])];
    const failure = { principal: "anonymous", operation: "POST /connect/token", outcome: "Refused" } as const;
    await log.chain(tenantId, [
      aRecord(tenantId, { principal: ada.userId }),
      aRecord(tenantId, { ...failure, email: ada.email.toUpperCase() }),
      aRecord(tenantId, { principal: other.userId, operation: "kept" }),
      aRecord(tenantId, { ...failure, email: other.email, operation: "kept" }),
    ]);
    await deleteUser(ada.userId);
    await log.upkeep();
    const remainingRows = await personal();
    expect(remainingRows.filter(({ operation }) => operation === "kept")).toHaveLength(2);
    expect(JSON.stringify(remainingRows).toLowerCase()).not.toContain(ada.email);
    expect(await log.verify(tenantId)).toMatchObject({ status: "Intact" });
    await log.chain(tenantId, [aRecord(tenantId, { principal: ada.userId, operation: "late" })]);
    await log.passDays(2);
    expect((await personal()).filter(({ operation }) => operation === "late")).toEqual([]);
    expect(await log.rows("select from audit_erasures where tenant_id = $1", tenantId)).toEqual([]);
    expect(await log.verify(tenantId)).toMatchObject({ status: "Intact" });
  });

  it("with more records than a batch holds is forgotten", async () => {
    const { userId } = await aUser(log.platform, tenantId, []);
    const time = new Date().toISOString();
    await log.chain(
      tenantId,
      Array.from({ length: 4500 }, () => aRecord(tenantId, { principal: userId, time })),
    );
    await deleteUser(userId);
    await log.upkeep();
    const [remaining] = await log.rows(
      "select count(address)::int as count from audit_records where tenant_id = $1 and principal = $2",
      tenantId,
      userId,
    );
    expect(remaining).toEqual({ count: 0 });
    expect(await log.verify(tenantId)).toMatchObject({ status: "Intact" });
  });
});

describe("the retention of the audit log", () => {
  const days = settingDefault("retention.auditLogDays");

  it("deletes what an expired seal covers, and the chain starts at that seal and tells of it", async () => {
    const before = log.ahead;
    log.ahead = -(days + 40) * 24 * 60 * 60_000;
    await log.chain(
      tenantId,
      Array.from({ length: 7 }, () => aRecord(tenantId)),
    );
    await log.passDays(1);
    await log.chain(
      tenantId,
      Array.from({ length: 3 }, () => aRecord(tenantId)),
    );
    const through = (await log.verify(tenantId)).newestSeal.position;
    expect(through).toBeGreaterThanOrEqual(7);
    log.ahead = before;
    await log.passDays(1);
    await log.passDays(1);
    const verification = await log.verify(tenantId);
    expect(verification).toMatchObject({ status: "Intact", startPosition: through });
    const items = await log.list(tenantId);
    expect(Math.min(...items.map(({ position }) => position))).toBe(through + 1);
    expect(items.filter(({ operation }) => operation === "deleteExpiredAuditRecords")).toMatchObject([
      { subject: `audit-seals/${through}`, source: "/spine", outcome: "Succeeded" },
    ]);
    await log.rows("update audit_heads set start_hash = sha256(start_hash) where tenant_id = $1", tenantId);
    expect((await log.verify(tenantId)).firstBroken).toMatchObject({ position: through, reason: "SealMismatch" });
  });

  it("follows the setting of the tenant", async () => {
    const before = log.ahead;
    const day = 24 * 60 * 60_000;
    await log.rows(
      `insert into configuration_entries (tenant_id, key, value, is_secret, version, created_at, updated_at, updated_by)
       values ($1, 'retention.auditLogDays', '90', false, 1, now(), now(), 'test')`,
      tenantId,
    );
    log.ahead = -101 * day;
    await log.chain(tenantId, [aRecord(tenantId)]);
    await log.passDays(1);
    log.ahead = -20 * day;
    await log.upkeep();
    expect(await log.verify(tenantId)).toMatchObject({ startPosition: 0, headPosition: 1 });
    log.ahead = before;
    await log.upkeep();
    expect(await log.verify(tenantId)).toMatchObject({ status: "Intact", startPosition: 1, headPosition: 2 });
  });

  it("keeps records that no seal covers, and those of the last 30 days even from the worker role", async () => {
    await log.chain(tenantId, [aRecord(tenantId)]);
    await log.passDays(1);
    const worker = new pg.Client({ connectionString: log.platform.connections.worker });
    await worker.connect();
    const uuid = (await log.rows("select $1::text as uuid", tenantId))[0]?.["uuid"];
    for (const position of [1, 0, 99])
      await expect(worker.query("select prune_audit_records($1, $2, 10)", [uuid, position])).rejects.toThrow(/No seal/);
    await worker.end();
  });
});

describe("the roles of the application", () => {
  const tables = ["audit_records", "audit_seals"];
  const forbidden = tables.flatMap((table) => [
    `update ${table} set tenant_id = tenant_id`,
    `update ${table} set hash = hash`,
    `delete from ${table}`,
    `truncate ${table}`,
  ]);
  const denial = { code: "42501" };

  it.each([
    ...forbidden,
    ...["audit_records", "audit_seals", "audit_heads", "audit_keys"].map(
      (table) => `insert into ${table} default values`,
    ),
    "update audit_heads set position = 0",
    "delete from audit_heads",
    "delete from audit_keys",
    "select erase_audit_records(null, null, null, null, null, null)",
    "select prune_audit_records(null, null, null)",
  ])("that serves requests may not: %s", async (statement) => {
    await expect(log.platform.asApp(tenantId, statement)).rejects.toMatchObject(denial);
  });

  it.each([...forbidden, "delete from audit_heads", "truncate audit_heads", "delete from audit_keys"])(
    "that works in the background may not: %s",
    async (statement) => {
      const worker = new pg.Client({ connectionString: log.platform.connections.worker });
      await worker.connect();
      try {
        await expect(worker.query(statement)).rejects.toMatchObject(denial);
      } finally {
        await worker.end();
      }
    },
  );

  it("shows a request no key of the audit log", async () => {
    await log.chain(tenantId, [aRecord(tenantId)]);
    await log.passDays(1);
    expect((await log.platform.asApp(platformTenantId, "select from audit_keys")).rowCount).toBe(0);
    await until(async () => (await log.platform.admin.query("select from audit_keys")).rowCount !== 0);
  });
});
