import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { ownerRole } from "./system-roles.js";

// tables: roles, role_assignments, users

/**
 * Throws CONFLICT when `leavingId` (`usr_…`) is the only active user who holds the owner role without an expiry. The
 * lock on the role makes owners who leave at the same time come one after the other.
 */
export async function requireAnotherOwner({ execute, tenant }: Transaction, leavingId: string): Promise<void> {
  const [role] = await execute<{ role_id: string }>(
    "select role_id from roles where tenant_id = $1 and code = $2 and is_system for update",
    [tenant.uuid, ownerRole],
  );
  const holders = await execute<{ principal_id: string }>(
    "select principal_id from role_assignments where tenant_id = $1 and role_id = $2 and expires_at is null",
    [tenant.uuid, role?.role_id ?? null],
  );
  const owners = await execute<{ user_id: string }>(
    "select user_id from users where tenant_id = $1 and user_id = any($2::uuid[]) and status = 'Active'",
    [tenant.uuid, holders.flatMap(({ principal_id: holder }) => decodeId("usr", holder) ?? [])],
  );
  const [onlyOwner, ...others] = owners;
  if (others.length === 0 && onlyOwner !== undefined && onlyOwner.user_id === decodeId("usr", leavingId))
    throw new DomainError("CONFLICT", {
      detail: `The user is the last owner of the tenant. Assign the role ${ownerRole} to another active user first.`,
    });
}
