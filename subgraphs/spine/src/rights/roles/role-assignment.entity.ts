import { expiringTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A role's assignment to a user or client, with or without an expiry. */
@Entity(expiringTenantTable("role_assignments", "expires_at <= now()"))
@Unique({ name: "role_assignments_once", properties: ["tenantId", "principalId", "roleId"] })
@Index({ name: "role_assignments_holders", properties: ["tenantId", "roleId", "principalId"] })
@Index({
  name: "role_assignments_expiry",
  expression: "create index role_assignments_expiry on role_assignments (expires_at) where expires_at is not null",
})
@Index({ name: "role_assignments_role", properties: ["tenantId", "roleId", "assignedAt", "assignmentId"] })
export class RoleAssignment {
  [PrimaryKeyProp]?: ["tenantId", "assignmentId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("asg") })
  assignmentId: string;

  @Property({ type: wireId("rol") })
  roleId: string;

  /** `usr_…` or `cli_…`. */
  @Property({ type: "text" })
  principalId: string;

  /** The subject in the token that assigned it. */
  @Property({ type: "text" })
  assignedBy: string;

  @Property({ type: "timestamptz", length: 3 })
  assignedAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  expiresAt: Date | null;
}
