import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ReadAdvisory } from "./osv-document.js";

// tables: advisories, advisory_packages

interface KnownAdvisory extends Record<string, unknown> {
  advisory_id: string;
  modified_at: Date | string;
}

/** When each of these advisories was changed by its database, as far as the tenant has it. */
export async function knownAdvisories(
  { execute, tenant }: Transaction,
  ids: readonly string[],
): Promise<Map<string, Date>> {
  const rows = await execute<KnownAdvisory>(
    "select advisory_id, modified_at from advisories where tenant_id = $1 and advisory_id = any($2)",
    [tenant.uuid, ids],
  );
  return new Map(rows.map(({ advisory_id, modified_at }) => [advisory_id, new Date(modified_at)]));
}

/** How many advisories the tenant has. */
export async function countAdvisories({ execute, tenant }: Transaction): Promise<number> {
  const [row] = await execute<{ count: number }>(
    "select count(*)::integer as count from advisories where tenant_id = $1",
    [tenant.uuid],
  );
  return row?.count ?? 0;
}

/** Writes advisories. Each replaces the stored one with its id. */
export async function writeAdvisories(
  { execute, tenant }: Transaction,
  advisories: readonly ReadAdvisory[],
): Promise<void> {
  const rows = advisories.map(({ advisoryId, summary, aliases, severity, url, modifiedAt, withdrawnAt }) => ({
    advisoryId,
    summary,
    aliases,
    severity,
    url,
    modifiedAt,
    withdrawnAt,
  }));
  await execute(
    `insert into advisories (tenant_id, advisory_id, summary, aliases, severity, url, modified_at, withdrawn_at, imported_at)
     select $1, row."advisoryId", row.summary, row.aliases, row.severity, row.url, row."modifiedAt", row."withdrawnAt", now()
     from jsonb_to_recordset($2::jsonb) as row ("advisoryId" text, summary text, aliases text[], severity text, url text,
       "modifiedAt" timestamptz, "withdrawnAt" timestamptz)
     on conflict (tenant_id, advisory_id) do update set summary = excluded.summary, aliases = excluded.aliases,
       severity = excluded.severity, url = excluded.url, modified_at = excluded.modified_at,
       withdrawn_at = excluded.withdrawn_at, imported_at = excluded.imported_at`,
    [tenant.uuid, JSON.stringify(rows)],
  );
  await execute("delete from advisory_packages where tenant_id = $1 and advisory_id = any($2)", [
    tenant.uuid,
    advisories.map(({ advisoryId }) => advisoryId),
  ]);
  const packages = advisories.flatMap(({ advisoryId, packages: affected }) =>
    affected.map(({ packageName, severity, affected: { intervals, versions } }) => ({
      advisoryId,
      packageName,
      packageKey: packageName.toLowerCase(),
      severity,
      intervals,
      versions,
    })),
  );
  await execute(
    `insert into advisory_packages (tenant_id, package_key, advisory_id, package_name, severity, intervals, versions)
     select $1, row."packageKey", row."advisoryId", row."packageName", row.severity, row.intervals, row.versions
     from jsonb_to_recordset($2::jsonb) as row ("packageKey" text, "advisoryId" text, "packageName" text, severity text,
       intervals jsonb, versions text[])`,
    [tenant.uuid, JSON.stringify(packages)],
  );
}
