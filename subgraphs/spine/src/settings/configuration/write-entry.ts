import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import type { RowOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { bumpTenantVersion } from "../../tenants/tenants/tenant-version.js";
import type { ChangedConfigEntryType, ConfigurationChange } from "./configuration.type.js";
import { entryView } from "./configuration.view.js";
import type { ConfigurationEntry } from "./configuration-entry.entity.js";

const maxEntries = 1000;
const keptVersions = 20;
const keptDeletedKeys = 1000;
/** The limit for all stored values in one tenant's history, in bytes. */
const maxHistoryBytes = 32 * 1024 * 1024;
/** An event holds a value up to this size (bytes of JSON text), because events are kept and sent to webhooks. */
const maxToldBytes = 8192;

/** The PostgreSQL channel that announces changed configuration. The payload is the tenant's id. */
export const configurationChannel = "spine_configuration";

/** A stored value: JSON text, or a secret's sealed text. */
export interface StoredValue {
  readonly value: string | null;
  readonly sealedValue: string | null;
  readonly isSecret: boolean;
  readonly description: string | null;
}

/** A key's entry before a change. `version` is undefined if the entry does not exist. */
export interface EntryBefore {
  readonly key: string;
  readonly version: number | undefined;
  readonly stored: StoredValue;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly updatedBy: string;
  /** The key's last version, even if its entry is deleted; 0 if there was none. */
  readonly lastVersion: number;
  /** How many entries the tenant has. */
  readonly entries: number;
}

type EntryColumns = Omit<RowOf<ConfigurationEntry>, "tenant_id" | "key" | "value"> & { value: string | null };

type BeforeRow = { [Name in keyof EntryColumns]: EntryColumns[Name] | null } & {
  last_version: number;
  entries: number;
};

const lock = { name: "configuration_lock", text: "select pg_advisory_xact_lock(hashtextextended($1, 0))" };

const before = {
  name: "configuration_before",
  text: `select version, value::text as value, sealed_value, is_secret, description, created_at, updated_at, updated_by,
      coalesce(version, (select max(version) from configuration_versions where tenant_id = $1 and key = $2), 0) as last_version,
      (select count(*)::int from configuration_entries where tenant_id = $1) as entries
    from (select) one left join configuration_entries on tenant_id = $1 and key = $2`,
};

const upsert = namedStatement(
  "configuration_upsert",
  `insert into configuration_entries as entry
      (tenant_id, key, value, sealed_value, is_secret, description, version, created_at, updated_at, updated_by)
    values ($tenant, $key, $value::json, $sealedValue, $isSecret, $description, $version, $now, $now, $by)
    on conflict (tenant_id, key) do update set value = excluded.value, sealed_value = excluded.sealed_value,
      is_secret = excluded.is_secret, description = excluded.description, version = excluded.version,
      updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
);

const remove = {
  name: "configuration_delete",
  text: "delete from configuration_entries where tenant_id = $1 and key = $2",
};

const keep = namedStatement(
  "configuration_keep",
  `insert into configuration_versions
      (tenant_id, key, version, change, value, sealed_value, is_secret, description, bytes, changed_at, changed_by)
    values ($tenant, $key, $version, $change, $value::json, $sealedValue, $isSecret, $description, $bytes, $now, $by)`,
);

const trim = namedStatement(
  "configuration_trim",
  `delete from configuration_versions old using (
      select key, version, sum(bytes) over (order by changed_at desc, key desc, version desc) as total
      from configuration_versions where tenant_id = $tenant) sized
    where old.tenant_id = $tenant and old.key = sized.key and old.version = sized.version
      and (old.key = $key and old.version <= $lastDropped or sized.total > $maxHistoryBytes)`,
);

const forget = {
  name: "configuration_forget",
  text: `delete from configuration_versions where tenant_id = $1 and key in (
      select key from configuration_versions deleted
      where tenant_id = $1 and not exists (
        select from configuration_entries entry where entry.tenant_id = $1 and entry.key = deleted.key)
      group by key order by max(changed_at) desc, key offset $2)`,
};

/** Locks the tenant's configuration until the transaction ends, and reads the key's entry. */
export async function lockEntry({ defer, execute, tenant }: Transaction, key: string): Promise<EntryBefore> {
  await defer(lock, [hashedLocks.configuration(tenant.tenantId)]);
  const [row] = await execute<BeforeRow>(before, [tenant.uuid, key]);
  if (!row) throw new Error("A statement that always has a row returned none");
  return {
    key,
    version: row.version ?? undefined,
    stored: {
      value: row.value,
      sealedValue: row.sealed_value,
      isSecret: row.is_secret ?? false,
      description: row.description,
    },
    createdAt: new Date(row.created_at ?? 0),
    updatedAt: new Date(row.updated_at ?? 0),
    updatedBy: row.updated_by ?? "",
    lastVersion: row.last_version,
    entries: row.entries,
  };
}

/** The entry as the answer to a change that changed nothing. */
export function unchangedEntry({ key, version = 0, stored, ...entry }: EntryBefore): ChangedConfigEntryType {
  return {
    ...entryView({
      ...{ key, version, value: stored.value, isSecret: stored.isSecret, readOnly: false },
      ...{ description: stored.description, createdAt: entry.createdAt, updatedAt: entry.updatedAt },
      updatedBy: entry.updatedBy,
    }),
    created: false,
    approvalId: null,
  };
}

/** The answer to a change that waits for an approval: the entry with the value in force, which may be the default. */
export function waitingEntry(
  entry: EntryBefore,
  { approvalId, valueInForce }: { approvalId: string; valueInForce: unknown },
): ChangedConfigEntryType {
  if (entry.version !== undefined) return Object.assign(unchangedEntry(entry), { approvalId });
  const [now, value] = [new Date(), JSON.stringify(valueInForce)];
  const byDefault = { ...entry, createdAt: now, updatedAt: now, updatedBy: "platform" };
  return Object.assign(unchangedEntry({ ...byDefault, stored: { ...entry.stored, value } }), { approvalId });
}

/** Stores the entry's next version, or deletes the entry. Throws CONFLICT over the limit. */
export async function writeEntry(
  transaction: Transaction,
  entry: EntryBefore,
  { change, stored, by }: { change: ConfigurationChange; stored: StoredValue; by: string },
): Promise<ChangedConfigEntryType> {
  const { defer, tenant } = transaction;
  const { key } = entry;
  const isNew = entry.version === undefined;
  if (isNew && entry.entries >= maxEntries)
    throw new DomainError("CONFLICT", {
      detail: `The tenant has ${maxEntries} configuration entries, which is the limit. Delete entries that are not used.`,
      limit: maxEntries,
    });
  const version = entry.lastVersion + 1;
  const now = new Date();
  const { value, sealedValue, isSecret, description } = stored;
  const values = {
    ...{ tenant: tenant.uuid, key, version, value, sealedValue, isSecret, description },
    ...{ now: now.toISOString(), by },
  };
  if (change === "Deleted") await defer(remove, [tenant.uuid, key]);
  else await defer(upsert, upsert.valuesOf(values));
  const bytes = Buffer.byteLength(value ?? "") + Buffer.byteLength(sealedValue ?? "");
  await defer(keep, keep.valuesOf({ ...values, change, bytes }));
  const limits = { tenant: tenant.uuid, key, lastDropped: version - keptVersions, maxHistoryBytes };
  await defer(trim, trim.valuesOf(limits));
  if (change === "Deleted") await defer(forget, [tenant.uuid, keptDeletedKeys]);
  await bumpTenantVersion(transaction);
  recordChange(transaction, { key, version, change, stored });
  transaction.notify(configurationChannel, tenant.tenantId);
  const view = entryView({
    ...{ key, version, value, isSecret, readOnly: false, description },
    ...{ createdAt: isNew ? now : entry.createdAt, updatedAt: now, updatedBy: by },
  });
  return { ...view, created: isNew, approvalId: null };
}

/** The event for a secret entry has no value, and neither has the event for a deletion. */
function recordChange(
  { record, tenant: { tenantId } }: Transaction,
  { key, version, change, stored }: { key: string; version: number; change: ConfigurationChange; stored: StoredValue },
): void {
  const { value, isSecret } = stored;
  const untold = isSecret || change === "Deleted" || value === null || Buffer.byteLength(value) > maxToldBytes;
  const eventValue = untold ? {} : { value: parseForeignJson(value) };
  record({
    type: "ConfigurationUpdated",
    subject: `config/${key}`,
    data: { tenantId, key, version, change, isSecret, ...eventValue },
  });
}
