import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { recordRevocation } from "../../ground/revocations/record-revocation.js";
import type { PermissionLossHandler } from "../access-control/permission-loss.js";
import { Role } from "./role.entity.js";
import { RoleAssignment } from "./role-assignment.entity.js";

/** Stands in for a token's subject when an assignment has expired. */
export const expiryActor = "expiry";

export interface AssignedRole {
  readonly assignment: RoleAssignment;
  readonly roleCode: string;
}

/** Adds to each assignment its role's code. */
export async function withRoleCodes(
  { em, tenant: { tenantId } }: Transaction,
  assignments: readonly RoleAssignment[],
): Promise<AssignedRole[]> {
  const roles = await em.find(Role, { tenantId, roleId: { $in: assignments.map(({ roleId }) => roleId) } });
  const codes = new Map(roles.map(({ roleId, code }) => [roleId, code]));
  return assignments.map((assignment) => ({ assignment, roleCode: codes.get(assignment.roleId) ?? "" }));
}

interface Unassignment {
  /** Subject in the token that takes the role away, or `expiryActor`. */
  readonly unassignedBy: string;
  readonly reason: "Requested" | "Expired" | "RoleDeleted";
}

/** Deletes the assignments, then calls the handler: their holders have lost permissions. */
export async function unassignRoles(
  transaction: Transaction,
  assignedRoles: readonly AssignedRole[],
  { onPermissionLoss, ...unassignment }: Unassignment & { readonly onPermissionLoss: PermissionLossHandler },
): Promise<void> {
  if (assignedRoles.length === 0) return;
  await deleteAssignments(transaction, assignedRoles, unassignment);
  await onPermissionLoss(transaction, holdersOf(assignedRoles));
}

/** Takes every role from the principal. The caller calls the permission loss handler. */
export async function unassignAllRoles(
  transaction: Transaction,
  principalId: string,
  unassignedBy: string,
): Promise<void> {
  const { tenantId } = transaction.tenant;
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
  const assignments = await transaction.em.find(RoleAssignment, { tenantId, principalId }, lock);
  const assignedRoles = await withRoleCodes(transaction, assignments);
  await deleteAssignments(transaction, assignedRoles, { unassignedBy, reason: "Requested" });
}

/** The revocation refuses tokens that still carry the roles' scopes. */
async function deleteAssignments(
  transaction: Transaction,
  assignedRoles: readonly AssignedRole[],
  { unassignedBy, reason }: Unassignment,
): Promise<void> {
  for (const { assignment, roleCode } of assignedRoles) {
    const { tenantId, assignmentId, roleId, principalId } = assignment;
    transaction.em.remove(assignment);
    transaction.record({
      type: "RoleUnassigned",
      subject: `roles/${roleId}/assignments/${assignmentId}`,
      data: { tenantId, assignmentId, roleId, roleCode, principalId, unassignedBy, reason },
    });
  }
  if (assignedRoles.length > 0) await recordRevocation(transaction, "Principal", ...holdersOf(assignedRoles));
}

const holdersOf = (assignedRoles: readonly AssignedRole[]) => [
  ...new Set(assignedRoles.map(({ assignment }) => assignment.principalId)),
];
