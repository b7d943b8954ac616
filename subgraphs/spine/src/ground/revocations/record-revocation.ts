import type { Revocation } from "@factory/runtime/auth/revocations";
import { maxLifetimeSeconds } from "@factory/runtime/auth/token-claims";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { SubjectKind } from "./subject-version.entity.js";

/** PostgreSQL channel that wakes every process that verifies tokens, once the transaction is committed. */
export const revocationChannel = "spine_revocations";

/** Absent: the subject ends once, so its only later version is 1. */
const versionedAs: Partial<Record<Revocation["kind"], SubjectKind>> = {
  Principal: "Principal",
  Client: "Client",
  TenantClosed: "Tenant",
  TenantOpened: "Tenant",
};

const announce = `insert into revocations (tenant_id, revocation_id, kind, subject, version, expires_at)
  select $tenant, gen_random_uuid(), $kind, subject, version, now() + make_interval(secs => $seconds)`;
const recordEnd = namedStatement(
  "record_end_of_subjects",
  `${announce} from (select unnest($subjects::text[]) as subject, 1 as version) ended`,
);
// the lock on a subject's row lasts until the commit, so versions ascend in commit order
const recordRaised = namedStatement(
  "record_raised_versions",
  `with raised as (
    insert into subject_versions as known (tenant_id, kind, subject, version)
    select $tenant, $versioned, subject, 1
    from (select distinct unnest($subjects::text[]) as subject) subjects order by subject
    on conflict (tenant_id, kind, subject) do update set version = known.version + 1
    returning subject, version)
  ${announce} from raised`,
);

/**
 * Revokes the tokens whose facts about the subjects were read before this transaction commits: raises the subjects'
 * versions, and tells every verifier about them within a second after the commit. Call it after the transaction has
 * locked the rows that it changes, so that transactions that lock both do not wait for each other.
 */
export async function recordRevocation(
  { execute, tenant, notify }: Pick<Transaction, "execute" | "tenant" | "notify">,
  kind: Revocation["kind"],
  ...subjects: readonly string[]
): Promise<void> {
  const versionedKind = versionedAs[kind];
  const values = { tenant: tenant.uuid, kind, subjects, seconds: maxLifetimeSeconds };
  await (versionedKind === undefined
    ? execute(recordEnd.text, recordEnd.valuesOf(values))
    : execute(recordRaised.text, recordRaised.valuesOf({ ...values, versioned: versionedKind })));
  notify(revocationChannel);
}
