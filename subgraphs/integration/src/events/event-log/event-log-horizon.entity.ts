import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";

/** The sequence up to which a tenant's events were deleted. A cursor before it has missed events. */
@Entity(workerTable("event_log_horizons"))
export class EventLogHorizon {
  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** A `sequence`. */
  @Property({ type: "bigint" })
  prunedThrough: string;
}
