import type { SubjectKind } from "./subject-version.entity.js";

/**
 * The SQL of the version that a subject has in the snapshot of its statement, for facts that the same statement reads.
 * `tenant` and `subject` are SQL. A tenant is the only subject of its kind in its own rows.
 */
export const versionOf = (kind: SubjectKind, tenant: string, subject?: string): string =>
  `coalesce((select version from subject_versions known where known.tenant_id = ${tenant} and known.kind = '${kind}'${
    subject === undefined ? "" : ` and known.subject = ${subject}`
  }), 0)::float8`;
