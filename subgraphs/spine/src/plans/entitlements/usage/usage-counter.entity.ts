import { expiringTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** How much a tenant has used a feature in one period. A tenant has at most one row per feature and period. */
@Entity(expiringTenantTable("usage_counters", "keep_until <= now()"))
export class UsageCounter {
  [PrimaryKeyProp]?: ["tenantId", "featureKey", "periodStart"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text" })
  featureKey: string;

  /** The epoch for a limit, which has no period. */
  @PrimaryKey({ type: "timestamptz" })
  periodStart: Date;

  @Property({ type: "bigint" })
  usage: string;

  /** The transaction in which the limit was reached, so that its event is recorded once in a period. */
  @Property({ type: "text", nullable: true })
  reachedIn: string | null;

  /** Null for a limit, which is kept. */
  @Property({ type: "timestamptz", nullable: true })
  @Index({ name: "usage_counters_expiry" })
  keepUntil: Date | null;
}
