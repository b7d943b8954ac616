import type { RowOf } from "@factory/runtime/db/entity-rows";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { Advisory } from "./advisory.entity.js";
import type { AdvisoryPackage } from "./advisory-package.entity.js";
import type { AdvisorySeverity } from "./advisory-severity.js";
import type { AffectedPackage, ReadAdvisory } from "./osv-document.js";

// tables: advisories, advisory_packages

/** An advisory that the tenant has, without its packages. */
export interface StoredAdvisory {
  readonly severity: AdvisorySeverity | null;
  readonly modifiedAt: Date;
  readonly withdrawnAt: Date | null;
}

type StoredRow = RowOf<Advisory, "advisoryId" | "severity" | "modifiedAt" | "withdrawnAt">;
type PackageRow = RowOf<AdvisoryPackage, "packageName" | "severity" | "intervals" | "versions">;

/** These advisories, where the tenant has them. */
export async function storedAdvisories(
  { execute, tenant }: Transaction,
  ids: readonly string[],
): Promise<Map<string, StoredAdvisory>> {
  const rows = await execute<StoredRow>(
    `select advisory_id, severity, modified_at, withdrawn_at from advisories
     where tenant_id = $1 and advisory_id = any($2)`,
    [tenant.uuid, ids],
  );
  return new Map(
    rows.map(({ advisory_id, severity, modified_at, withdrawn_at }) => [
      advisory_id,
      {
        severity,
        modifiedAt: new Date(modified_at),
        withdrawnAt: withdrawn_at === null ? null : new Date(withdrawn_at),
      },
    ]),
  );
}

/** The packages that a stored advisory affects. */
export async function storedPackages({ execute, tenant }: Transaction, advisoryId: string): Promise<AffectedPackage[]> {
  const rows = await execute<PackageRow>(
    `select package_name, severity, intervals, versions from advisory_packages
     where tenant_id = $1 and advisory_id = $2`,
    [tenant.uuid, advisoryId],
  );
  return rows.map(({ package_name, severity, intervals, versions }) => ({
    packageName: package_name,
    severity,
    affected: { intervals, versions },
  }));
}

/** Deletes advisories with their packages. Returns the ids that the tenant had. */
export async function deleteAdvisories({ execute, tenant }: Transaction, ids: readonly string[]): Promise<string[]> {
  const rows = await execute<{ advisory_id: string }>(
    "delete from advisories where tenant_id = $1 and advisory_id = any($2) returning advisory_id",
    [tenant.uuid, ids],
  );
  return rows.map(({ advisory_id }) => advisory_id).sort();
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
  const packages = advisories.flatMap(({ advisoryId, packages: affectedPackages }) =>
    affectedPackages.map(({ packageName, severity, affected: { intervals, versions } }) => ({
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
