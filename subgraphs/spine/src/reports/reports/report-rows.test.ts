import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import { RunningSpine } from "../../running-spine.fixture.js";
import { pastYear, TenantReports } from "./report.fixture.js";

let platform: RunningSpine;
let tenant: TenantReports;

beforeAll(async () => {
  platform = await RunningSpine.shared();
  tenant = new TenantReports(platform, await platform.activeTenant("rows"));
});
afterAll(() => platform?.stop());

const sql = (text: string, ...values: unknown[]) => platform.admin.query(text, values);
const uuid = () => decodeId("ten", tenant.tenantId);

/** A report's rows as objects. */
async function rowsOf(code: string, parameters: object): Promise<Record<string, unknown>[]> {
  const run = await tenant.generated(code, "json", parameters);
  if (run.status !== "Completed") throw new Error(JSON.stringify(run));
  return JSON.parse(await tenant.content(run)).rows;
}

async function aUser(place: number, createdAt: string): Promise<string> {
  const id = `01900000-0000-7000-8000-00000000000${place}`;
  await sql(
    `insert into users (tenant_id, user_id, email, email_key, display_name, status, password_hash, created_at, updated_at)
     values ($1, $2, $3, $3, $4, 'Active', '', $5, $5)`,
    ...[uuid(), id, `user${place}@example.com`, `User ${place}`, createdAt],
  );
  return encodeId("usr", id);
}

describe("user-activity", () => {
  it("has each user who existed, in the order of ids, with what that user did in the period", async () => {
    const [first, second] = [await aUser(1, "2024-01-05T00:00:00Z"), await aUser(2, "2024-12-31T23:59:59Z")];
    await aUser(3, "2025-01-01T00:00:00Z");
    await tenant.addRecords([
      { at: "2024-02-01T08:00:00Z", operation: "signIn", principal: first },
      { at: "2024-02-01T09:00:00Z", principal: first },
      { at: "2024-03-01T09:00:00Z", principal: first },
      { at: "2025-03-01T09:00:00Z", principal: first },
      { at: "2024-03-01T09:00:00Z", principal: "cli_somebody" },
      { at: "2024-03-01T09:00:00Z", principal: "usr_00000000000000000000000000" },
    ]);
    await sql(
      "update audit_records set outcome = 'Refused', count = 3, first_at = recorded_at - interval '1 hour' where tenant_id = $1 and recorded_at = '2024-02-01T09:00:00Z'",
      uuid(),
    );
    expect(await rowsOf("user-activity", pastYear)).toEqual([
      {
        ...{ userId: first, email: "user1@example.com", displayName: "User 1", status: "Active" },
        ...{ createdAt: "2024-01-05T00:00:00.000Z", signIns: 1, operations: 1, refusals: 3 },
        ...{ firstActivityAt: "2024-02-01T08:00:00.000Z", lastActivityAt: "2024-03-01T09:00:00.000Z" },
      },
      {
        ...{ userId: second, email: "user2@example.com", displayName: "User 2", status: "Active" },
        ...{ createdAt: "2024-12-31T23:59:59.000Z", signIns: 0, operations: 0, refusals: 0 },
        ...{ firstActivityAt: null, lastActivityAt: null },
      },
    ]);
  });
});

describe("audit-log", () => {
  it("has the records of the days in UTC, in the order of their time and their place in the chain", async () => {
    await tenant.addRecords([
      { at: "2023-06-02T00:00:00Z", operation: "too late" },
      { at: "2023-06-01T23:59:59.999Z", operation: "last" },
      { at: "2023-06-01T00:00:00Z", operation: "first" },
      { at: "2023-06-01T00:00:00Z", operation: "second", subject: "templates/tpl_1" },
      { at: "2023-05-31T23:59:59.999Z", operation: "too early" },
    ]);
    const rows = await rowsOf("audit-log", { from: "2023-06-01", to: "2023-06-01" });
    expect(rows.map(({ operation }) => operation)).toEqual(["first", "second", "last"]);
    expect(rows[1]).toMatchObject({
      ...{ time: "2023-06-01T00:00:00.000Z", source: "catalog", outcome: "Succeeded", subject: "templates/tpl_1" },
      ...{ principal: null, recordId: expect.stringMatching(/^aud_/), position: expect.any(Number) },
    });
  });

  it("has no records of another tenant", async () => {
    const other = new TenantReports(platform, await platform.activeTenant("others"));
    const run = await other.generated("audit-log", "json", { from: "2023-06-01", to: "2023-06-30" });
    expect(run).toMatchObject({ status: "Completed", rowsTotal: 0 });
  });
});

describe("usage-summary", () => {
  it("has metered features of whole periods, operations by day, and operations by name", async () => {
    const month = async (start: string, usage: number) =>
      sql(
        `insert into usage_counters (tenant_id, feature_key, period_start, usage, keep_until)
         values ($1, 'executions.monthly', $2::timestamptz, $3, $2::timestamptz + interval '1 month' + interval '9600 hours')`,
        ...[uuid(), start, usage],
      );
    await month("2022-06-01T00:00:00Z", 5);
    await month("2022-07-01T00:00:00Z", 7);
    await month("2022-08-01T00:00:00Z", 9);
    await sql(
      "insert into usage_counters (tenant_id, feature_key, period_start, usage) values ($1, 'users.max', to_timestamp(0), 3)",
      uuid(),
    );
    await tenant.addRecords([
      { at: "2022-06-01T00:00:00Z" },
      { at: "2022-06-01T12:00:00Z", operation: "publishTemplateVersion" },
      { at: "2022-07-31T23:00:00Z" },
      { at: "2022-08-01T00:00:00Z" },
    ]);
    await sql(
      "update audit_records set outcome = 'Refused', count = 4 where tenant_id = $1 and operation = 'publishTemplateVersion' and recorded_at < '2023-01-01'",
      uuid(),
    );
    const row = (
      kind: string,
      date: string | null,
      name: string,
      [quantity, refusedCount = 0]: number[],
      source = "catalog",
    ) => ({
      ...{ kind, date, source, name, quantity, refused: refusedCount },
    });
    expect(await rowsOf("usage-summary", { from: "2022-06-01", to: "2022-07-31" })).toEqual([
      row("Feature", "2022-06-01", "executions.monthly", [5], "spine"),
      row("Feature", "2022-07-01", "executions.monthly", [7], "spine"),
      row("Day", "2022-06-01", "", [1, 4]),
      row("Day", "2022-07-31", "", [1]),
      row("Operation", null, "publishTemplateVersion", [0, 4]),
      row("Operation", null, "registerTemplate", [2]),
    ]);
    const cut = await rowsOf("usage-summary", { from: "2022-06-02", to: "2022-07-30" });
    expect(cut).toEqual([]);
  });

  it("has counters of periods that run on while the report itself is not over", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const start = `${today.slice(0, 7)}-01`;
    await sql(
      `insert into usage_counters (tenant_id, feature_key, period_start, usage, keep_until)
       values ($1, 'running.monthly', $2::timestamptz, 2, $2::timestamptz + interval '1 month' + interval '9600 hours')`,
      ...[uuid(), `${start}T00:00:00Z`],
    );
    const rows = await rowsOf("usage-summary", { from: start, to: today });
    expect(rows).toContainEqual(expect.objectContaining({ kind: "Feature", name: "running.monthly", quantity: 2 }));
  });
});
