import { platformTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { TenantLimitValues } from "@factory/schema/tenant-limits";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import type { TenantState } from "./tenant.states.js";

/** A tenant. The row belongs to itself: `tenant_id` is its id. */
@Entity(platformTable("tenants"))
@Index({ name: "tenants_page", properties: ["createdAt", "tenantId"] })
@Index({ name: "tenants_by_name", properties: ["name", "tenantId"] })
@Index({ name: "tenants_by_change", properties: ["changedAt", "tenantId"] })
@Index({ name: "tenants_by_plan", properties: ["subscriptionId"] })
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

  /** The address that is invited as the first owner. Null for the platform's own tenant. */
  @Property({ type: "text", nullable: true })
  ownerEmail: string | null;

  /** The plan subscription; null until provisioning has created it. */
  @Property({ type: wireId("sub"), nullable: true })
  subscriptionId: string | null;

  /** Digest of the list that the system roles were created from; null until they exist. */
  @Property({ type: "text", nullable: true })
  systemRolesDigest: string | null;

  /** The first invitation to `ownerEmail`; null until provisioning has created it. */
  @Property({ type: wireId("inv"), nullable: true })
  ownerInvitationId: string | null;

  /** Names for the provisioning steps that have run for this tenant. */
  @Property({ type: "text[]", default: [] })
  provisionedSteps: string[];

  /** The limits that differ from the platform's default. */
  @Property({ type: "json", defaultRaw: "'{}'" })
  limits: Partial<TenantLimitValues>;

  @Property({ type: "timestamptz", length: 3 })
  createdAt: Date;

  @Property({ type: "timestamptz" })
  updatedAt: Date;

  /** Ascends with every change in the tenant's snapshot: see `bumpTenantVersion`. */
  @Property({ type: "bigint", default: 1 })
  version: string;

  /** The time at which the statement made this version. Its transaction may commit later. */
  @Property({ type: "timestamptz", defaultRaw: "clock_timestamp()" })
  changedAt: Date;
}
