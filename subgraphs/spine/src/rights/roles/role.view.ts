import { columnsOf, type RecordOf, rowReader } from "@factory/runtime/db/entity-rows";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { Role } from "./role.entity.js";
import type { RoleAssignmentType, RoleType } from "./role.type.js";
import type { RoleAssignment } from "./role-assignment.entity.js";

type RoleRecord = Omit<RecordOf<Role>, "tenantId" | "updatedAt">;

export const roleColumns = columnsOf(Role);
export const readRole = rowReader(Role);

export const roleView = ({ roleId, code, name, description, scopes, isSystem, createdAt }: RoleRecord): RoleType => ({
  roleId,
  code,
  name,
  description,
  scopes: [...scopes],
  isSystem,
  createdAt: createdAt.toISOString(),
});

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
