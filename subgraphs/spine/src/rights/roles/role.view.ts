import { columnsOf, type RecordOf, rowReader } from "@factory/runtime/db/entity-rows";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { Role } from "./role.entity.js";
import type { RoleAssignmentType, RoleType } from "./role.type.js";
import type { RoleAssignment } from "./role-assignment.entity.js";

export const roleColumns = columnsOf(Role);
export const readRole = rowReader(Role);

export function roleView(record: RecordOf<Role>): RoleType {
  const { tenantId: _, updatedAt: __, ...role } = record;
  return { ...role, scopes: [...role.scopes], createdAt: role.createdAt.toISOString() };
}

/** A RoleAssignment's fields as a plain object, which can be spread. */
export type AssignmentFacts = { [Name in keyof RoleAssignmentType]: RoleAssignmentType[Name] };

export function assignmentView(assignment: RoleAssignment, roleCode: string): AssignmentFacts {
  const { assignmentId, roleId, principalId, assignedAt, assignedBy, expiresAt } = assignment;
  return {
    assignmentId,
    roleId,
    roleCode,
    principalId,
    userId: decodeId("usr", principalId) === undefined ? null : principalId,
    assignedAt: assignedAt.toISOString(),
    assignedBy,
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}
