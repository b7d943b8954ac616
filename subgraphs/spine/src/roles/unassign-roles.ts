import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { RightsLost } from "../access-control/permission-loss.js";
import { recordRevocation } from "../revocations/record-revocation.js";
import { Role } from "./role.entity.js";
import type { RoleAssignment } from "./role-assignment.entity.js";

/** In place of a subject, where time has taken a role away. */
export const expiryActor = "expiry";

export interface HeldRole {
  readonly assignment: RoleAssignment;
  readonly roleCode: string;
}

export async function withCodes(
  { em, tenant: { tenantId } }: Transaction,
  assignments: readonly RoleAssignment[],
): Promise<HeldRole[]> {
  const roles = await em.find(Role, { tenantId, roleId: { $in: assignments.map(({ roleId }) => roleId) } });
  const codes = new Map(roles.map(({ roleId, code }) => [roleId, code]));
  return assignments.map((assignment) => ({ assignment, roleCode: codes.get(assignment.roleId) ?? "" }));
}

interface Taking {
  /** Subject of the token, or the job, that takes it away. */
  readonly unassignedBy: string;
  readonly reason: "Requested" | "Expired" | "RoleDeleted";
}

/** Removes assignments; what their holders gave to others and could not give now ends too. */
export async function takeRoles(
  transaction: Transaction,
  held: readonly HeldRole[],
  { rightsLost, ...taking }: Taking & { readonly rightsLost: RightsLost },
): Promise<void> {
  if (held.length === 0) return;
  await removeRoles(transaction, held, taking);
  await rightsLost(transaction, [...new Set(held.map(({ assignment }) => assignment.principalId))]);
}

/** For a principal who loses everything; tokens that still carry the roles' scopes are refused from then on. */
export async function removeRoles(
  transaction: Transaction,
  held: readonly HeldRole[],
  { unassignedBy, reason }: Taking,
): Promise<void> {
  for (const { assignment, roleCode } of held) {
    const { tenantId, assignmentId, roleId, principalId } = assignment;
    transaction.em.remove(assignment);
    transaction.record({
      type: "RoleUnassigned",
      subject: `roles/${roleId}/assignments/${assignmentId}`,
      data: { tenantId, assignmentId, roleId, roleCode, principalId, unassignedBy, reason },
    });
  }
  if (held.length > 0)
    await recordRevocation(transaction, "Principal", ...new Set(held.map(({ assignment }) => assignment.principalId)));
}
