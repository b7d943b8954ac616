import { platformTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import type { TenantState } from "./tenant.states.js";

/** The row is its own tenant: `tenant_id` is the id. */
@Entity(platformTable("tenants"))
@Index({ name: "tenants_page", properties: ["createdAt", "tenantId"] })
@Index({ name: "tenants_by_name", properties: ["name", "tenantId"] })
export class Tenant {
  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @Property({ type: "text" })
  name: string;

  @Property({ type: "text" })
  @Unique({ name: "tenants_slug" })
  slug: string;

  @Property({ type: "text" })
  status: TenantState;

  @Property({ type: "text" })
  editionCode: string;

  /** Who is invited as the first owner. Null for the platform's own tenant. */
  @Property({ type: "text", nullable: true })
  ownerEmail: string | null;

  /** Null until provisioning has made the plan subscription. */
  @Property({ type: wireId("sub"), nullable: true })
  subscriptionId: string | null;

  /** Of the list that its system roles were made from; null before they were. */
  @Property({ type: "text", nullable: true })
  systemRolesDigest: string | null;

  /** Of the first invitation to `ownerEmail`; null until provisioning has made it. */
  @Property({ type: wireId("inv"), nullable: true })
  ownerInvitationId: string | null;

  /** Names of the provisioning steps that this tenant has been through. */
  @Property({ type: "text[]", default: [] })
  provisionedSteps: string[];

  @Property({ type: "timestamptz" })
  createdAt: Date;

  @Property({ type: "timestamptz" })
  updatedAt: Date;
}
