import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { ownerRole } from "./system-roles.js";

/** Called in the transaction in which a user (`usr_…`) gets an owner's role. */
export type OwnerArrivalHandler = (transaction: Transaction, userId: string) => Promise<void>;

/** The handlers from the slices that have something to tell a new owner. */
export class OwnerArrivals {
  readonly #handlers: OwnerArrivalHandler[] = [];

  add(handler: OwnerArrivalHandler): void {
    this.#handlers.push(handler);
  }

  /** Calls the handlers if a user gets an owner's role among these roles. */
  async tell(
    transaction: Transaction,
    roles: readonly { readonly code: string; readonly isSystem: boolean }[],
    principalId: string,
  ): Promise<void> {
    if (!principalId.startsWith("usr_") || !roles.some(({ code, isSystem }) => isSystem && code === ownerRole)) return;
    for (const handler of this.#handlers) await handler(transaction, principalId);
  }
}

const ownerAssignments = `from role_assignments
    where tenant_id = $1 and principal_id like 'usr\\_%' and (expires_at is null or expires_at > now())
      and role_id = (select role_id from roles where tenant_id = $1 and code = $2 and is_system)`;

const owners = {
  name: "owners_of_tenant",
  text: `select principal_id ${ownerAssignments} order by assigned_at, assignment_id limit $3`,
};

const ownership = { name: "ownership", text: `select ${ownerAssignments} and principal_id = $3` };

/** The users (`usr_…`) in any state who hold an owner's role, the first one first. */
export async function ownersOf({ execute, tenant }: Transaction, limit: number): Promise<string[]> {
  const rows = await execute<{ principal_id: string }>(owners, [tenant.uuid, ownerRole, limit]);
  return rows.map((row) => row.principal_id);
}

/** Whether the first owner has joined. Clients with the role do not count: whoever sets up a tenant gives it to them. */
export async function hasOwner(transaction: Transaction): Promise<boolean> {
  return (await ownersOf(transaction, 1)).length > 0;
}

/** Whether the user (`usr_…`) holds an owner's role now. */
export async function isOwner({ execute, tenant }: Transaction, userId: string): Promise<boolean> {
  return (await execute(ownership, [tenant.uuid, ownerRole, userId])).length > 0;
}
