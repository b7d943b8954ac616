import type { SubjectKind } from "./subject-version.entity.js";

/**
 * The SQL for the version that a subject has in its statement's snapshot, for facts that the same statement reads.
 * `tenant` and `subject` are SQL. In its own rows a tenant is the only subject with its kind.
 */
export const versionOf = (kind: SubjectKind, tenant: string, subject?: string): string =>
  `coalesce((select version from subject_versions known where known.tenant_id = ${tenant} and known.kind = '${kind}'${
    subject === undefined ? "" : ` and known.subject = ${subject}`
  }), 0)::float8`;
