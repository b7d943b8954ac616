import { eventually } from "@factory/runtime/faults/eventually.fixture";
import { killsAt } from "@factory/runtime/faults/kills.fixture";
import { ProcessEnded } from "@factory/runtime/faults/subgraph-process.fixture";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { type Json, principal } from "../spine-caller.fixture.js";
import { SpineProcesses } from "../spine-processes.fixture.js";

const takeoverMs = 180_000;
/** In both tests the process is killed before and after a commit. */
const kills = killsAt(2);
const uuidOf = (tenantId: string) => decodeId("ten", tenantId);

let spine: SpineProcesses;

beforeAll(async () => {
  spine = await SpineProcesses.open();
  await spine.start();
});
afterAll(() => spine.close());

async function call(tenantId: string, document: string, variables: Record<string, unknown> = {}): Promise<Json> {
  const caller = principal(tenantId, ["config.manage", "audit.read"]);
  const { data, errors } = await spine.ask(caller, document, variables);
  if (!data || errors.length > 0) throw new Error(JSON.stringify(errors));
  return Object.values(data)[0];
}

/** An action that leaves one audit record. */
const configure = (tenantId: string, key: string) =>
  call(tenantId, "mutation ($key: ID!) { setConfigEntry(key: $key, input: { value: 1 }) { key } }", { key });

const verified = async (tenantId: string): Promise<string> =>
  (await call(tenantId, "{ verifyAuditLog { status } }")).status;

it("kill -9 of the process that chains audit records loses no record and chains none twice", async () => {
  const tenantId = await spine.activeTenant("chained");
  let actions = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    // the records that the former process left pass the failpoint first, and may end this process before it is ready
    await spine.startMortal(`audit.${kill % 2 === 0 ? "chaining" : "chained"}:kill:3`);
    const until = async () => {
      for (;;) {
        actions += 1;
        await configure(tenantId, `entry.${actions}`);
      }
    };
    await expect(until()).rejects.toThrow(ProcessEnded);
    expect(await spine.process.ended).toBeNull();
  }
  await spine.start();
  const entries = await spine.rows("select from spine.configuration_entries where tenant_id = $1", uuidOf(tenantId));
  expect(entries.length).toBeGreaterThan(kills);
  const chained = async () => {
    const [facts] = await spine.rows<{ count: number; different: number; head: number; newest: number }>(
      `select count(*)::int as count, count(distinct subject)::int as different,
         (select position from spine.audit_heads where tenant_id = $1)::int as head,
         (select max(position) from spine.audit_records where tenant_id = $1)::int as newest
       from spine.audit_records
       where tenant_id = $1 and operation = 'setConfigEntry' and outcome = 'Succeeded'`,
      uuidOf(tenantId),
    );
    return facts;
  };
  await eventually(
    "every entry has its record",
    async () => ((await chained())?.count ?? 0) >= entries.length,
    takeoverMs,
  );
  const facts = await chained();
  expect(facts).toMatchObject({ count: entries.length, different: entries.length });
  expect(facts?.head).toBe(facts?.newest);
  expect(await verified(tenantId)).toBe("Intact");
});

it("kill -9 of the process that seals audit logs leaves one seal and one event of each log that was due", async () => {
  const tenants: string[] = [];
  for (let place = 0; place < kills; place += 1) {
    const tenantId = await spine.activeTenant(`sealed-${place}`);
    await configure(tenantId, "entry");
    tenants.push(tenantId);
  }
  const uuids = tenants.map(uuidOf);
  await eventually("every log has records", async () => {
    const heads = await spine.rows("select from spine.audit_heads where tenant_id = any($1) and position > 0", uuids);
    return heads.length === kills;
  });
  await spine.process.stop();
  // as on the next day
  await spine.rows(
    "update spine.audit_heads set unsealed_since = now() - interval '1 day' where tenant_id = any($1)",
    uuids,
  );
  for (let kill = 0; kill < kills; kill += 1) {
    await spine.startMortal(`audit.${kill % 2 === 0 ? "sealing" : "sealed"}:kill:1`);
    expect(await spine.process.ended).toBeNull();
  }
  await spine.start();
  const seals = () =>
    spine.rows<{ seals: number; events: number }>(
      `select (select count(*)::int from spine.audit_seals seal where seal.tenant_id = asked.tenant_id) as seals,
         (select count(*)::int from spine.outbox event where event.tenant_id = asked.tenant_id
            and event.type = 'AuditLogSealed') as events from unnest($1::uuid[]) as asked(tenant_id)`,
      uuids,
    );
  await eventually("every log is sealed", async () => (await seals()).every(({ seals: made }) => made > 0), takeoverMs);
  expect(await seals()).toEqual(uuids.map(() => ({ seals: 1, events: 1 })));
  for (const tenantId of tenants.slice(0, 2)) expect(await verified(tenantId)).toBe("Intact");
});
