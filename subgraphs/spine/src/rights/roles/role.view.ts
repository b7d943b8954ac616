import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Role } from "./role.entity.js";
import type { RoleAssignmentType, RoleType } from "./role.type.js";
import type { RoleAssignment } from "./role-assignment.entity.js";

/** A row of `roles` as PostgreSQL returns it. */
export interface RoleRow {
  role_id: string;
  code: string;
  name: string;
  description: string | null;
  scopes: string[];
  is_system: boolean;
  created_at: Date;
}

export const roleColumns = "role_id, code, name, description, scopes, is_system, created_at";

export const roleRowView = (row: RoleRow): RoleType => ({
  roleId: encodeId("rol", row.role_id),
  code: row.code,
  name: row.name,
  description: row.description,
  scopes: row.scopes,
  isSystem: row.is_system,
  createdAt: row.created_at.toISOString(),
});

export const roleView = ({ roleId, code, name, description, scopes, isSystem, createdAt }: Role): RoleType => ({
  roleId,
  code,
  name,
  description,
  scopes: [...scopes],
  isSystem,
  createdAt: createdAt.toISOString(),
});

/** The fields of a RoleAssignment as a plain object, which can be spread. */
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
