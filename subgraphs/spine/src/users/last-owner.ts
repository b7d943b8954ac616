import type { Transaction } from "@factory/runtime/db/database";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { ownerRole } from "../roles/system-roles.js";

/**
 * Refuses to take away the last Active user who owns the tenant for good. The lock on the role is the one that taking
 * the role away holds too, so two owners who leave in different ways come one after the other.
 */
export async function requireAnotherOwner({ execute, tenant }: Transaction, userId: string): Promise<void> {
  const [role] = await execute<{ role_id: string }>(
    "select role_id from roles where tenant_id = $1 and code = $2 and is_system for update",
    [tenant.uuid, ownerRole],
  );
  const holders = await execute<{ principal_id: string }>(
    "select principal_id from role_assignments where tenant_id = $1 and role_id = $2 and expires_at is null",
    [tenant.uuid, role?.role_id ?? null],
  );
  const owners = holders.map(({ principal_id }) => principal_id);
  if (!owners.includes(userId)) return;
  const others = owners.filter((owner) => owner !== userId).flatMap((owner) => decodeId("usr", owner) ?? []);
  const [active] = await execute(
    "select true from users where tenant_id = $1 and user_id = any($2::uuid[]) and status = 'Active' limit 1",
    [tenant.uuid, others],
  );
  if (!active)
    throw new DomainError("CONFLICT", { detail: "The tenant would be left without an owner: make another one first." });
}
