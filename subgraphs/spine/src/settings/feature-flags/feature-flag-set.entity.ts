import { sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/**
 * All flags that a tenant has. Each change locks this row and raises its version, so that readers see a change by one
 * number and the tenant's limits hold. Workers read it for all tenants.
 */
@Entity(sweptTenantTable("feature_flag_sets", "true"))
export class FeatureFlagSet {
  [PrimaryKeyProp]?: ["tenantId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @Property({ type: "integer" })
  version: number;

  @Property({ type: "integer" })
  flagCount: number;

  /** The number of values in all rules, which bounds the work of one evaluation. */
  @Property({ type: "integer" })
  valueCount: number;

  @Property({ type: "timestamptz" })
  @Index({ name: "feature_flag_sets_since" })
  changedAt: Date;
}
