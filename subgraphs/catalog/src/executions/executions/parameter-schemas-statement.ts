import type { TenantReader } from "@factory/runtime/db/tenant-reader";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import type { Tenant } from "@factory/runtime/tenancy/tenant";

// tables: replaced_drafts, template_versions

/** A revision that executions name. */
interface Revision {
  readonly templateVersionUuid: string;
  readonly revision: number;
}

/** The parameter schemas by `revisionKey`. */
export type ParameterSchemas = ReadonlyMap<string, unknown>;

/** A revision's key among others. */
export const revisionKey = ({ templateVersionUuid, revision }: Revision) => `${templateVersionUuid} ${revision}`;

interface SchemaRow {
  key: string;
  parameter_schema: unknown;
}

/** The version has its present revision. A replaced Draft has an earlier one that executions name. */
const schemasByRevision = tenantStatement(
  "execution_parameter_schemas",
  `select template_version_id || ' ' || revision as key, parameter_schema from (
     select tenant_id, template_version_id, revision, parameter_schema from template_versions
     union all select tenant_id, template_version_id, revision, parameter_schema from replaced_drafts) revisions
   where tenant_id = scope.tenant
     and (template_version_id, revision) in (select * from unnest($2::uuid[], $3::integer[]))`,
);

/** Reads the schemas of these revisions, each once. */
export async function parameterSchemas(
  reader: Pick<TenantReader, "rows">,
  tenant: Tenant,
  revisions: readonly Revision[],
): Promise<ParameterSchemas> {
  if (revisions.length === 0) return new Map();
  const distinct = [...new Map(revisions.map((each) => [revisionKey(each), each])).values()];
  const rows = await reader.rows<SchemaRow>(
    schemasByRevision,
    tenant,
    distinct.map(({ templateVersionUuid }) => templateVersionUuid),
    distinct.map(({ revision }) => revision),
  );
  return new Map(rows.map(({ key, parameter_schema }) => [key, parameter_schema]));
}
