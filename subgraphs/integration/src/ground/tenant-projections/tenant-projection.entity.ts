import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";

/** The copy of a tenant's facts, which the spine owns. SQL in the runtime (`tenant-facts`) writes and reads it. */
@Entity(workerTable("tenant_projections"))
export class TenantProjection {
  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** The version in the spine. Only a higher one replaces the row. */
  @Property({ type: "bigint" })
  version: string;

  @Property({ type: "text" })
  slug: string;

  @Property({ type: "text" })
  status: string;

  @Property({ type: "text" })
  editionCode: string;

  /** The plan subscription's state; empty before provisioning has created it. */
  @Property({ type: "text" })
  subscriptionStatus: string;

  /** The known settings that the tenant has set, by key. */
  @Property({ type: "json" })
  settings: Record<string, unknown>;

  /** The limits that the platform has set for the tenant, by key. */
  @Property({ type: "json" })
  limits: Record<string, unknown>;

  @Property({ type: "timestamptz" })
  storedAt: Date;
}
