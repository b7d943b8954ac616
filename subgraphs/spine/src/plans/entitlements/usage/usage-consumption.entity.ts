import { expiringTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A consumption under a key, by which it is counted once and can be given back. */
@Entity(expiringTenantTable("usage_consumptions", "expires_at <= now()"))
export class UsageConsumption {
  [PrimaryKeyProp]?: ["tenantId", "featureKey", "idempotencyKey"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "text" })
  featureKey: string;

  @PrimaryKey({ type: "text" })
  idempotencyKey: string;

  @Property({ type: "bigint" })
  amount: string;

  /** The user or resource that the caller has named; empty for none. */
  @Property({ type: "text" })
  subjectId: string;

  /** The counter's period. */
  @Property({ type: "timestamptz" })
  periodStart: Date;

  /** The usage after the consumption and the limit at that time, for the answer to a repeated call. */
  @Property({ type: "bigint" })
  usageAfter: string;

  @Property({ type: "bigint", nullable: true })
  limitThen: string | null;

  /** Null for a limit: the key is kept until the usage is given back. */
  @Property({ type: "timestamptz", nullable: true })
  @Index({ name: "usage_consumptions_expiry" })
  expiresAt: Date | null;
}
