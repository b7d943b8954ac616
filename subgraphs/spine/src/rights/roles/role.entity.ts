import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { Scope } from "@factory/schema/scopes";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A named scope set in one tenant. */
@Entity(tenantTable("roles"))
@Index({ name: "roles_code", expression: "create unique index roles_code on roles (tenant_id, lower(code))" })
@Index({ name: "roles_page", properties: ["tenantId", "createdAt", "roleId"] })
@Index({ name: "roles_by_code", properties: ["tenantId", "code", "roleId"] })
@Index({ name: "roles_by_name", properties: ["tenantId", "name", "roleId"] })
export class Role {
  [PrimaryKeyProp]?: ["tenantId", "roleId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("rol") })
  roleId: string;

  @Property({ type: "text" })
  code: string;

  @Property({ type: "text" })
  name: string;

  @Property({ type: "text", nullable: true })
  description: string | null;

  @Property({ type: "text[]" })
  scopes: Scope[];

  /** A role that the platform creates and updates; tenants cannot change it. */
  @Property({ type: "boolean" })
  isSystem: boolean;

  @Property({ type: "timestamptz", length: 3 })
  createdAt: Date;

  @Property({ type: "timestamptz" })
  updatedAt: Date;
}
