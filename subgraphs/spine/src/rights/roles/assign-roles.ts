import { DomainError } from "@factory/runtime/errors/domain-error";
import { newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { requireHeldScopes } from "../access-control/held-scopes.js";
import { Role } from "./role.entity.js";
import { RoleAssignment } from "./role-assignment.entity.js";

/** The roles with these codes, ignoring case. Throws REFERENCE_NOT_FOUND with a pointer to each unknown code. */
export async function requireRoles({ em, tenant }: Transaction, codes: readonly string[]): Promise<Role[]> {
  const idsByCode = new Map(
    (await em.find(Role, { tenantId: tenant.tenantId })).map((role) => [role.code.toLowerCase(), role]),
  );
  const errors = codes.flatMap((code, at) =>
    idsByCode.has(code.toLowerCase())
      ? []
      : [{ pointer: `/input/roleCodes/${at}`, code: "UNKNOWN_VALUE", detail: `The tenant has no role "${code}".` }],
  );
  if (errors.length > 0)
    throw new DomainError("REFERENCE_NOT_FOUND", {
      detail: "The input names roles that do not exist. GET /v1/roles lists the roles of the tenant.",
      errors,
    });
  return [...new Set(codes.flatMap((code) => idsByCode.get(code.toLowerCase()) ?? []))];
}

/** The tenant's roles with exactly these codes, sorted by code; unknown codes are left out. */
export function findRoles(
  { em, tenant: { tenantId } }: Transaction,
  codes: readonly string[],
  { createdUntil }: { createdUntil?: Date } = {},
): Promise<Role[]> {
  const creationTime = createdUntil === undefined ? {} : { createdAt: { $lte: createdUntil } };
  return em.find(Role, { tenantId, code: { $in: [...codes] }, ...creationTime }, { orderBy: { code: "asc" } });
}

/** Whether a principal in the tenant holds the role with this code, also if only for a while. */
export async function isRoleAssigned({ em, tenant: { tenantId } }: Transaction, code: string): Promise<boolean> {
  const role = await em.findOne(Role, { tenantId, code });
  return role !== null && (await em.count(RoleAssignment, { tenantId, roleId: role.roleId })) > 0;
}

/** Throws INSUFFICIENT_SCOPE unless the caller's token holds every scope in the roles. */
export function requireGrantable(context: RequestContext, roles: readonly Pick<Role, "scopes">[]): void {
  requireHeldScopes(
    context,
    roles.flatMap((role) => role.scopes),
  );
}

/** Assigns the roles without a permission check. The principal must not hold any yet. */
export function assignRoles(
  transaction: Transaction,
  roles: readonly Role[],
  to: { principalId: string; assignedBy: string; expiresAt?: Date | null },
): RoleAssignment[] {
  const { em, tenant } = transaction;
  const { principalId, assignedBy, expiresAt = null } = to;
  return roles.map(({ roleId, code }) => {
    const facts = { tenantId: tenant.tenantId, assignmentId: newId("asg"), roleId, principalId, assignedBy };
    const assignment = em.create(RoleAssignment, { ...facts, assignedAt: new Date(), expiresAt });
    em.persist(assignment);
    recordRoleAssigned(transaction, assignment, code);
    return assignment;
  });
}

/** Records RoleAssigned, for a new assignment and for one whose expiry has changed. */
export function recordRoleAssigned({ record }: Transaction, assignment: RoleAssignment, roleCode: string): void {
  const { tenantId, assignmentId, roleId, principalId, assignedBy, expiresAt } = assignment;
  record({
    type: "RoleAssigned",
    subject: `roles/${roleId}/assignments/${assignmentId}`,
    data: {
      tenantId,
      assignmentId,
      roleId,
      roleCode,
      principalId,
      assignedBy,
      expiresAt: expiresAt?.toISOString() ?? null,
    },
  });
}
