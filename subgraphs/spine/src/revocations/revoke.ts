import { randomUUID } from "node:crypto";
import { longestLifetimeSeconds } from "@factory/runtime/auth/token-claims";
import type { Transaction } from "@factory/runtime/db/database";
import type { RevokedKind } from "./revocation.entity.js";

/** Wakes every process that verifies tokens, as soon as the transaction is committed. */
export const revocationChannel = "spine_revocations";

/** From the end of this transaction on, tokens issued to the subject until now are refused within a second. */
export async function revoke(
  { execute, tenant }: Pick<Transaction, "execute" | "tenant">,
  kind: RevokedKind,
  subject: string,
): Promise<void> {
  await execute(
    `insert into revocations (tenant_id, revocation_id, kind, subject, revoked_at, expires_at)
     values ($1, $2, $3, $4, now(), now() + make_interval(secs => $5))`,
    [tenant.uuid, randomUUID(), kind, subject, longestLifetimeSeconds],
  );
  await execute("select pg_notify($1, '')", [revocationChannel]);
}
