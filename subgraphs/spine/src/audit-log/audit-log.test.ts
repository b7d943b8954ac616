import { createHash } from "node:crypto";
import { canonicalJson } from "@factory/runtime/identifiers/canonical-json";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { compactVerify, importJWK } from "jose";
import { until } from "../running-spine.fixture.js";
import { aRecord, RunningAuditLog } from "./audit-log.fixture.js";
import { auditRecordsBy } from "./audit-record.service.js";

let log: RunningAuditLog;
let tenantId: string;

beforeAll(async () => {
  log = await RunningAuditLog.start();
});
beforeEach(() => {
  tenantId = newId("ten");
});
afterAll(() => log.platform.stop());

const many = (count: number, changes = {}) => Array.from({ length: count }, () => aRecord(tenantId, changes));

describe("the chain of a tenant", () => {
  it("can be computed anew from what the API answers", async () => {
    await log.chain(tenantId, [
      aRecord(tenantId, {
        subject: "templates/tpl_1",
        clientid: "cli_1",
        agent: "cli_2",
        agenttaskid: "t",
        approvalid: "a",
      }),
      aRecord(tenantId, {
        outcome: "Refused",
        code: "CONFLICT",
        status: 409,
        count: 3,
        firsttime: "2026-01-01T00:00:00Z",
      }),
      aRecord(tenantId, { outcome: "Refused", email: "ada@example.com" }),
    ]);
    const items = (await log.list(tenantId)).sort((a, b) => a["position"] - b["position"]);
    expect(items.map(({ position }) => position)).toEqual([1, 2, 3]);
    let hash = Buffer.alloc(32);
    for (const item of items) {
      const { hash: toldHash, address: _, email: __, userAgent: ___, ...facts } = item;
      const present = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
      hash = createHash("sha256").update(hash).update(canonicalJson(present)).digest();
      expect(hash.toString("hex")).toBe(toldHash);
    }
    expect(await log.verify(tenantId)).toMatchObject({ status: "Intact", checkedThrough: 3, headPosition: 3 });
  });

  it("takes a record once, however often the bus delivers it", async () => {
    const [once, twice, next] = many(3) as [
      ReturnType<typeof aRecord>,
      ReturnType<typeof aRecord>,
      ReturnType<typeof aRecord>,
    ];
    await log.chain(tenantId, [once, twice]);
    await log.platform.admin.query("delete from bus.messages where event_id = any($1)", [[once.id, twice.id]]);
    await log.platform.host.bus.publish([once, twice, next]);
    await until(async () => (await log.count(tenantId)) === 3);
    const ids = (await log.list(tenantId)).map(({ recordId }) => recordId as string);
    expect(ids).toHaveLength(3);
    expect(new Set(ids)).toEqual(new Set([once.id, twice.id, next.id]));
    expect(await log.verify(tenantId)).toMatchObject({ status: "Intact", headPosition: 3 });
  });

  it("is one of many: records of 100 tenants are chained per tenant", async () => {
    const tenants = Array.from({ length: 100 }, () => newId("ten"));
    const records = Array.from({ length: 500 }, (_, place) => aRecord(tenants[place % 100] ?? ""));
    await log.platform.host.bus.publish(records);
    for (const tenantId of tenants) await until(async () => (await log.count(tenantId)) === 5);
    for (const tenantId of tenants.slice(0, 5))
      expect(await log.verify(tenantId)).toMatchObject({ status: "Intact", headPosition: 5 });
  });

  it("goes past a record that no chain can hold", async () => {
    await log.platform.host.bus.publish([{ ...aRecord(tenantId), time: "never" }, aRecord(tenantId)]);
    await until(async () => (await log.count(tenantId)) === 1);
  });

  it("is checked in parts that a cursor joins", async () => {
    await log.chain(tenantId, many(30));
    await log.rows(
      `insert into audit_heads (tenant_id, position, hash, start_position, start_hash, retention_due_at)
       values ($1, 0, decode(repeat('00', 32), 'hex'), 0, decode(repeat('00', 32), 'hex'), now()) on conflict do nothing`,
      tenantId,
    );
    const whole = await log.verify(tenantId);
    expect(whole).toMatchObject({ status: "Intact", checkedThrough: 30, nextCursor: null });
    expect(await log.verify(tenantId, { after: "made-up" })).toMatchObject({ code: "INVALID_CURSOR" });
  });
});

describe("verifyAuditLog", () => {
  beforeEach(async () => {
    await log.chain(tenantId, many(6));
    await log.passDays(1);
    await log.chain(tenantId, many(4));
    expect(await log.verify(tenantId)).toMatchObject({ status: "Intact", headPosition: 10, checkedSeals: 1 });
  });

  const firstBreak = async () => (await log.verify(tenantId)).firstBroken;

  it.each([
    ["operation = 'nothing'", "Altered"],
    ["principal = null", "Altered"],
    ["recorded_at = recorded_at + interval '1 ms'", "Altered"],
    ["hash = sha256(hash)", "Altered"],
    ["record_id = gen_random_uuid()", "Altered"],
    ["count = 7", "Altered"],
    ["address = '198.51.100.7'", "PersonalDataAltered"],
    ["email = 'somebody@example.com'", "PersonalDataAltered"],
    ["personal_salt = null", "PersonalDataAltered"],
    ["personal_digest = null", "Altered"],
  ])("finds a row that was altered: %s", async (change, reason) => {
    await log.rows(`update audit_records set ${change} where tenant_id = $1 and position = 4`, tenantId);
    expect(await firstBreak()).toMatchObject({ position: 4, reason });
  });

  it("finds a removed row", async () => {
    await log.rows("delete from audit_records where tenant_id = $1 and position = 5", tenantId);
    expect(await firstBreak()).toMatchObject({ position: 5, reason: "Removed" });
  });

  it("finds an inserted row, also when the others make room", async () => {
    await log.rows(
      "update audit_records set position = position + 100 where tenant_id = $1 and position > 3",
      tenantId,
    );
    await log.rows(
      "update audit_records set position = position - 99 where tenant_id = $1 and position > 100",
      tenantId,
    );
    const copy = `insert into audit_records select (jsonb_populate_record(row, jsonb_build_object(
      'position', $2::int, 'record_id', gen_random_uuid()))).* from audit_records row where tenant_id = $1 and position = 1`;
    await log.rows(copy, tenantId, 4);
    await log.rows("update audit_heads set position = 11 where tenant_id = $1", tenantId);
    expect(await firstBreak()).toMatchObject({ position: 4, reason: "Altered" });
    const behind = newId("ten");
    await log.chain(behind, [aRecord(behind)]);
    await log.rows(copy, behind, 2);
    expect((await log.verify(behind)).firstBroken).toMatchObject({ position: 2, reason: "Inserted" });
  });

  it("finds rows that were cut off at the end", async () => {
    await log.rows("delete from audit_records where tenant_id = $1 and position > 8", tenantId);
    expect(await firstBreak()).toMatchObject({ position: 9, reason: "CutOff" });
  });

  it("finds a head that was moved back before a seal, and a head that is gone", async () => {
    await log.rows("delete from audit_records where tenant_id = $1 and position > 5", tenantId);
    await log.rows(
      `update audit_heads head set position = 5, hash = record.hash from audit_records record
       where head.tenant_id = $1 and record.tenant_id = $1 and record.position = 5`,
      tenantId,
    );
    expect(await firstBreak()).toMatchObject({ position: 6, reason: "CutOff" });
    await log.rows("delete from audit_heads where tenant_id = $1", tenantId);
    expect(await firstBreak()).toMatchObject({ position: 7, reason: "CutOff" });
  });

  it("finds a log that was rewritten with good hashes, by its seal, and by a kept seal when the seals are rewritten", async () => {
    const { jws } = (await log.verify(tenantId)).newestSeal;
    await log.rows("update audit_records set operation = 'nothing' where tenant_id = $1 and position = 2", tenantId);
    const items = (await log.list(tenantId)).sort((a, b) => a["position"] - b["position"]);
    let hash = Buffer.alloc(32);
    for (const { hash: _, address: __, email: ___, userAgent: ____, ...facts } of items) {
      const present = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
      hash = createHash("sha256").update(hash).update(canonicalJson(present)).digest();
      await log.rows(
        "update audit_records set hash = $3 where tenant_id = $1 and position = $2",
        tenantId,
        facts["position"],
        hash,
      );
    }
    await log.rows("update audit_heads set hash = $2 where tenant_id = $1", tenantId, hash);
    expect(await firstBreak()).toMatchObject({ position: 6, reason: "SealMismatch" });
    await log.rows("update audit_seals set jws = jws || 'AA' where tenant_id = $1", tenantId);
    expect(await firstBreak()).toMatchObject({ position: 6, reason: "SealInvalid" });
    await log.rows("delete from audit_seals where tenant_id = $1", tenantId);
    expect(await log.verify(tenantId)).toMatchObject({ status: "Intact" });
    expect((await log.verify(tenantId, { seal: jws })).firstBroken).toMatchObject({
      position: 6,
      reason: "SealMismatch",
    });
    await log.rows("delete from audit_records where tenant_id = $1", tenantId);
    await log.rows("delete from audit_heads where tenant_id = $1", tenantId);
    expect(await log.verify(tenantId)).toMatchObject({ status: "Intact", headPosition: 0 });
    expect((await log.verify(tenantId, { seal: jws })).firstBroken).toMatchObject({ reason: "CutOff" });
  });

  it("refuses a seal of another tenant, and one that nobody signed", async () => {
    const other = newId("ten");
    await log.chain(other, [aRecord(other)]);
    const { jws } = (await log.verify(tenantId)).newestSeal;
    for (const seal of [`${jws}A`, "x.y.z", ""])
      expect(await log.verify(tenantId, { seal })).toMatchObject({
        code: "VALIDATION_FAILED",
        errors: [{ pointer: "/seal" }],
      });
    expect(await log.verify(other, { seal: jws })).toMatchObject({ code: "VALIDATION_FAILED" });
  });
});

describe("the seal of a day", () => {
  it("signs the head once, with a key that anybody can check, and tells of it", async () => {
    await log.chain(tenantId, many(3));
    await log.upkeep();
    expect((await log.verify(tenantId)).newestSeal).toBeNull();
    await log.passDays(1);
    await log.upkeep();
    await log.passDays(1);
    const { newestSeal, keys } = await log.verify(tenantId);
    const [{ count }] = (await log.rows(
      "select count(*)::int as count from audit_seals where tenant_id = $1",
      tenantId,
    )) as [{ count: number }];
    expect(count).toBe(1);
    const events = (await log.platform.eventsOf(tenantId)).filter(({ type }) => type === "AuditLogSealed");
    const [{ hash }] = (await log.list(tenantId, {}, 1)) as [{ hash: string }];
    const { jws, ...head } = { tenantId, ...newestSeal };
    expect(events.map(({ data, subject }) => [subject, data])).toEqual([["audit-seals/3", { ...head, jws }]]);
    expect(head).toMatchObject({ position: 3, hash });
    const { payload, protectedHeader } = await compactVerify(jws, await importJWK(keys[0], "ES256"));
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(head);
    expect(protectedHeader).toEqual({ alg: "ES256", kid: keys[0].kid, typ: "audit-seal" });
    expect(keys[0].d).toBeUndefined();
  });

  it("stays valid after the next key is made, and a key that only the database knows signs nothing", async () => {
    await log.chain(tenantId, many(1));
    await log.passDays(1);
    const { jws } = (await log.verify(tenantId)).newestSeal;
    await log.passDays(366);
    await log.chain(tenantId, many(1));
    await log.passDays(1);
    const result = await log.verify(tenantId, { seal: jws });
    expect(result).toMatchObject({ status: "Intact", checkedSeals: 2 });
    expect(result.keys.length).toBeGreaterThan(1);
    await expect(
      log.rows("update audit_keys set sealed_key = replace(sealed_key, 'A', 'B') where $1::uuid is not null", tenantId),
    ).resolves.toBeDefined();
    expect(await log.verify(tenantId)).toMatchObject({ status: "Intact" });
  });
});

describe("the audit log of a tenant", () => {
  it.each(["principal", "operation", "outcome", "subject", "code"] as const)(
    "is read by %s from an index",
    async (column) => {
      const text = (count: number) => `'${column}' || n % ${count}`;
      await log.rows(
        `insert into audit_records (tenant_id, position, record_id, recorded_at, source, trace_id, hash,
           principal, operation, outcome, subject, code)
         select $1, n, gen_random_uuid(), now() + n * interval '1 second', '/catalog', '', '',
           ${["principal", "operation", "outcome", "subject", "code"].map((name) => (name === column ? text(400) : "'same'")).join()}
         from generate_series(1, 20000) n`,
        tenantId,
      );
      await log.platform.admin.query("analyze audit_records");
      const client = await log.platform.admin.connect();
      try {
        await client.query("begin; set local role suites_spine_app; set local plan_cache_mode = force_generic_plan");
        for (const setting of ["sort", "seqscan", "bitmapscan"])
          await client.query(`set local enable_${setting} = off`);
        for (const { text: statement } of auditRecordsBy([column]).statements) {
          await client.query(`deallocate all; prepare listed as ${statement}`);
          const count = new Set(statement.match(/\$\d+/g)).size;
          const values = Array.from({ length: count }, () => "null").join();
          const { rows } = await client.query(`explain execute listed(${values})`);
          const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
          expect(plan).toMatch(new RegExp(`Index Cond: .*\\b${column} =`));
          expect(plan).not.toMatch(/Sort|Seq Scan/);
        }
      } finally {
        await client.query("rollback");
        client.release();
      }
    },
  );

  it("is read by every filter and by several, the newest first", async () => {
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
    await log.chain(tenantId, [
      aRecord(tenantId, { time: at(1), principal: "usr_a", subject: "users/usr_1" }),
      aRecord(tenantId, { time: at(3), principal: "usr_b", operation: "deleteUser" }),
      aRecord(tenantId, { time: at(2), principal: "usr_a", outcome: "Refused", code: "CONFLICT", status: 409 }),
    ]);
    const minutes = async (filter: Record<string, unknown>) =>
      (await log.list(tenantId, filter)).map(({ time }) => new Date(time).getUTCMinutes());
    expect(await minutes({})).toEqual([3, 2, 1]);
    expect(await minutes({ principal: "usr_a" })).toEqual([2, 1]);
    expect(await minutes({ principal: "usr_a", outcome: "Refused" })).toEqual([2]);
    expect(await minutes({ operation: "deleteUser" })).toEqual([3]);
    expect(await minutes({ subject: "users/usr_1" })).toEqual([1]);
    expect(await minutes({ code: "CONFLICT" })).toEqual([2]);
    expect(await minutes({ from: at(2) })).toEqual([3, 2]);
    expect(await minutes({ from: at(2), to: at(3) })).toEqual([2]);
    expect(await minutes({ principal: "usr_b", code: "CONFLICT" })).toEqual([]);
  });
});
