import { DomainError } from "@factory/runtime/errors/domain-error";
import { newId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { requireHeld } from "../access-control/held-scopes.js";
import { Role } from "./role.entity.js";
import { RoleAssignment } from "./role-assignment.entity.js";

/** The tenant's roles of these codes, however they are written; REFERENCE_NOT_FOUND points at those that do not exist. */
export async function rolesOfCodes({ em, tenant }: Transaction, codes: readonly string[]): Promise<Role[]> {
  const known = new Map(
    (await em.find(Role, { tenantId: tenant.tenantId })).map((role) => [role.code.toLowerCase(), role]),
  );
  const errors = codes.flatMap((code, at) =>
    known.has(code.toLowerCase())
      ? []
      : [{ pointer: `/input/roleCodes/${at}`, code: "UNKNOWN_VALUE", detail: `There is no role ${code}.` }],
  );
  if (errors.length > 0)
    throw new DomainError("REFERENCE_NOT_FOUND", { detail: "The input names roles that do not exist.", errors });
  return [...new Set(codes.flatMap((code) => known.get(code.toLowerCase()) ?? []))];
}

/** Nobody gives away what he does not hold: the token's scopes must cover those of the roles. */
export function requireGrantable(context: RequestContext, roles: readonly Pick<Role, "scopes">[]): void {
  requireHeld(
    context,
    roles.flatMap((role) => role.scopes),
  );
}

/** Assigns without asking who may; the principal must not hold any of them yet. */
export function grantRoles(
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
    recordAssigned(transaction, assignment, code);
    return assignment;
  });
}

/** Of a new assignment, and of one whose expiry was moved. */
export function recordAssigned({ record }: Transaction, assignment: RoleAssignment, roleCode: string): void {
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
