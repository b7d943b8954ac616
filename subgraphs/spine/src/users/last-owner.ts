import type { Transaction } from "@factory/runtime/db/database";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { ownerRole } from "../roles/system-roles.js";

/** Refuses to take away the last Active user who owns the tenant; two who take each other away come one after the other. */
export async function requireAnotherOwner({ execute, tenant }: Transaction, userId: string): Promise<void> {
  await execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`owners of ${tenant.tenantId}`]);
  const holders = await execute<{ principal_id: string }>(
    `select principal_id from role_assignments join roles using (tenant_id, role_id)
     where tenant_id = $1 and code = $2 and (expires_at is null or expires_at > now())`,
    [tenant.uuid, ownerRole],
  );
  const owners = holders.map(({ principal_id }) => principal_id);
  if (!owners.includes(userId)) return;
  const others = owners.filter((owner) => owner !== userId).flatMap((owner) => decodeId("usr", owner) ?? []);
  const [active] = await execute(
    "select from users where tenant_id = $1 and user_id = any($2::uuid[]) and status = 'Active' limit 1",
    [tenant.uuid, others],
  );
  if (!active)
    throw new DomainError("CONFLICT", { detail: "The tenant would be left without an owner: make another one first." });
}
