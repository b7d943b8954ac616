import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { ownerRole } from "./system-roles.js";

/**
 * A tenant keeps one active user who owns it for good. The lock on the role makes owners who leave at once, by losing the
 * role or by being disabled, come one after the other.
 */
export async function requireAnotherOwner({ execute, tenant }: Transaction, leaving: string): Promise<void> {
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
  const [only, ...others] = owners;
  if (others.length === 0 && only !== undefined && only.user_id === decodeId("usr", leaving))
    throw new DomainError("CONFLICT", { detail: "The tenant would be left without an owner: make another one first." });
}
