import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";

/** A text for each package (by name in lower case) that differs after any change to its advisories. */
export type AdvisoryRevisions = ReadonlyMap<string, string>;

interface RevisionRow extends Record<string, unknown> {
  package_key: string;
  revision: string;
}

// an import writes a row anew, so its transaction shows in xmin
const revisionsOf = (tenant: string) => `select package_key,
    md5(string_agg(advisory_id || ' ' || affected.xmin || ' ' || advisory.xmin, ',' order by advisory_id)) as revision
  from advisory_packages affected join advisories advisory using (tenant_id, advisory_id)
  where tenant_id = ${tenant} and package_key = any($2) group by package_key`;
const revisionsInTransaction = revisionsOf("$1");
const revisions = tenantStatement("advisory_revisions", revisionsOf("scope.tenant"));

/** Reads the revisions before a transaction. */
export async function readRevisions(
  { reader }: Pick<Database, "reader">,
  tenant: Tenant,
  packageKeys: readonly string[],
): Promise<AdvisoryRevisions> {
  return revisionsByKey(await reader.rows<RevisionRow>(revisions, tenant, packageKeys));
}

/** The packages (by name in lower case) whose advisories differ from the revisions. */
export async function changedSince(
  { execute, tenant }: Transaction,
  packageKeys: readonly string[],
  earlier: AdvisoryRevisions,
): Promise<string[]> {
  const present = revisionsByKey(await execute<RevisionRow>(revisionsInTransaction, [tenant.uuid, packageKeys]));
  return packageKeys.filter((key) => present.get(key) !== earlier.get(key));
}

function revisionsByKey(rows: readonly RevisionRow[]): AdvisoryRevisions {
  return new Map(rows.map(({ package_key, revision }) => [package_key, revision]));
}
