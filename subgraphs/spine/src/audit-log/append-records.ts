import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { ChainHead } from "./audit-head.entity.js";
import { chainHash, genesisHash } from "./chain-record.js";
import type { NewRecord } from "./record-facts.js";

type Executing = Pick<Transaction, "execute">;

interface Head {
  readonly tenantUuid: string;
  position: number;
  hash: Buffer;
}

const headMembers = ["tenantId", "position", "hash"] as const;

/** Heads are locked in tenant order, so that two processes cannot wait for each other. */
const lockHeads = {
  name: "audit_lock_heads",
  text: `select ${columnsOf(ChainHead, headMembers)} from audit_heads
    where tenant_id = any($1) order by tenant_id for update`,
};

const createHeads = {
  name: "audit_create_heads",
  text: `insert into audit_heads (tenant_id, position, hash, start_position, start_hash, retention_due_at)
    select tenant_id, 0, $2, 0, $2, $3 from unnest($1::uuid[]) as tenant_id on conflict do nothing`,
};

const knownRecords = {
  name: "audit_known_records",
  text: `select tenant_id, record_id from audit_records
    join unnest($1::uuid[], $2::uuid[]) as asked(tenant_id, record_id) using (tenant_id, record_id)`,
};

const insertRecords = {
  name: "audit_insert_records",
  text: `with added as (
      insert into audit_records (tenant_id, position, record_id, recorded_at, source, operation, outcome, subject,
        principal, principal_type, client_id, agent, agent_task_id, approval_id, trace_id, code, status, count, first_at,
        personal_digest, personal_salt, address, email, user_agent, hash)
      select tenant_id, position, record_id, time, source, operation, outcome, subject,
        principal, "principalType", "clientId", agent, "agentTaskId", "approvalId", "traceId", code, status, count,
        "firstTime", decode("personalDigest", 'hex'), decode(salt, 'hex'), address, email, "userAgent", decode(hash, 'hex')
      from jsonb_to_recordset($1::jsonb) as record(tenant_id uuid, position bigint, record_id uuid, time timestamptz,
        source text, operation text, outcome text, subject text, principal text, "principalType" text, "clientId" text,
        agent text, "agentTaskId" text, "approvalId" text, "traceId" text, code text, status int, count int,
        "firstTime" timestamptz, "personalDigest" text, salt text, address text, email text, "userAgent" text, hash text))
    update audit_heads head set position = moved.position, hash = decode(moved.hash, 'hex'),
      unsealed_since = coalesce(head.unsealed_since, $3)
    from jsonb_to_recordset($2::jsonb) as moved(tenant_id uuid, position bigint, hash text)
    where head.tenant_id = moved.tenant_id`,
};

/**
 * Appends records to their tenants' chains: four statements for any number of tenants. A record that a chain has
 * already is left out, so the same records can be given again. The transaction must be able to write all these tenants'
 * rows, as the worker role is.
 */
export async function appendRecords({ execute }: Executing, records: readonly NewRecord[], now: Date): Promise<void> {
  const tenants = [...new Set(records.map(({ tenantUuid }) => tenantUuid))].sort();
  const heads = await lockedHeads({ execute }, tenants, now);
  const storedRows = await execute<{ tenant_id: string; record_id: string }>(knownRecords, [
    records.map(({ tenantUuid }) => tenantUuid),
    records.map(({ recordUuid }) => recordUuid),
  ]);
  const seenKeys = new Set(storedRows.map(({ tenant_id, record_id }) => `${tenant_id} ${record_id}`));
  const rows: object[] = [];
  const movedHeads = new Set<Head>();
  for (const record of records) {
    const head = heads.get(record.tenantUuid);
    const key = `${record.tenantUuid} ${record.recordUuid}`;
    if (!head || seenKeys.has(key)) continue;
    seenKeys.add(key);
    rows.push(chained(head, record));
    movedHeads.add(head);
  }
  if (rows.length === 0) return;
  const ends = [...movedHeads].map(({ tenantUuid, position, hash }) => ({
    tenant_id: tenantUuid,
    position,
    hash: hash.toString("hex"),
  }));
  await execute(insertRecords, [JSON.stringify(rows), JSON.stringify(ends), now]);
}

async function lockedHeads(
  { execute }: Executing,
  tenants: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, Head>> {
  const lock = async () => {
    const rows = await execute<RowOf<ChainHead, (typeof headMembers)[number]>>(lockHeads, [tenants]);
    return new Map<string, Head>(
      rows.map(({ tenant_id, position, hash }) => [
        tenant_id,
        { tenantUuid: tenant_id, position: Number(position), hash },
      ]),
    );
  };
  const heads = await lock();
  if (heads.size === tenants.length) return heads;
  const missing = tenants.filter((tenant) => !heads.has(tenant));
  await execute(createHeads, [missing, genesisHash, now]);
  return lock();
}

/** Moves the head to the record and returns the record's row. */
function chained(head: Head, { tenantUuid, recordUuid, facts, personal, salt }: NewRecord): object {
  head.position += 1;
  head.hash = chainHash(head.hash, { ...facts, position: head.position });
  const chainFacts = { tenant_id: tenantUuid, record_id: recordUuid, position: head.position };
  return { ...facts, ...personal, ...chainFacts, salt: salt?.toString("hex"), hash: head.hash.toString("hex") };
}
