import type { Revocation } from "@factory/runtime/auth/revocations";
import { maxLifetimeSeconds } from "@factory/runtime/auth/token-claims";
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
  select $1, gen_random_uuid(), $2, subject, version, now() + make_interval(secs => $4)`;
const recordEnd = `${announce} from (select unnest($3::text[]) as subject, 1 as version) ended`;
// the lock on the row of a subject lasts until the commit, so versions ascend in the order of the commits
const recordRaised = `with raised as (
    insert into subject_versions as known (tenant_id, kind, subject, version)
    select $1, $5, subject, 1 from (select distinct unnest($3::text[]) as subject) subjects order by subject
    on conflict (tenant_id, kind, subject) do update set version = known.version + 1
    returning subject, version)
  ${announce} from raised`;

/**
 * Revokes the tokens whose facts about the subjects were read before this transaction commits: raises the versions of the
 * subjects, and tells every verifier of them within a second after the commit. Call it after the transaction has locked
 * the rows that it changes, so that transactions that lock both do not wait for each other.
 */
export async function recordRevocation(
  { execute, tenant, notify }: Pick<Transaction, "execute" | "tenant" | "notify">,
  kind: Revocation["kind"],
  ...subjects: readonly string[]
): Promise<void> {
  const versioned = versionedAs[kind];
  const values = [tenant.uuid, kind, subjects, maxLifetimeSeconds];
  await (versioned === undefined ? execute(recordEnd, values) : execute(recordRaised, [...values, versioned]));
  notify(revocationChannel);
}
