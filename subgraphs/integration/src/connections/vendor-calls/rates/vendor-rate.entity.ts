import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** The vendor's rate limit for a connection, as a virtual queue that all processes share. */
@Entity(workerTable("vendor_rates"))
@Index({ name: "vendor_rates_next_at", properties: ["nextAt"] })
export class VendorRate {
  [PrimaryKeyProp]?: ["tenantId", "connectionId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("con") })
  connectionId: string;

  /** When the queue with admitted calls is empty. */
  @Property({ type: "timestamptz" })
  nextAt: Date;

  /** The vendor asked for a pause until then. */
  @Property({ type: "timestamptz", nullable: true })
  pausedUntil: Date | null;
}
