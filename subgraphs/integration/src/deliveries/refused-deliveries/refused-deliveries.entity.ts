import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** The refused deliveries to one resource's URL. A request without a token writes them, so workers do it. */
@Entity(workerTable("refused_deliveries"))
@Index({ name: "refused_deliveries_at", properties: ["lastRefusedAt"] })
export class RefusedDeliveries {
  [PrimaryKeyProp]?: ["tenantId", "resourceId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** The UUID of a webhook subscription or a connection. */
  @PrimaryKey({ type: "uuid" })
  resourceId: string;

  @Property({ type: "bigint" })
  count: number;

  /** The error's code. */
  @Property({ type: "text" })
  lastReason: string;

  @Property({ type: "timestamptz", length: 3 })
  firstRefusedAt: Date;

  @Property({ type: "timestamptz", length: 3 })
  lastRefusedAt: Date;
}
