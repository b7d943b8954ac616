import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";

/** Every event of the bus in one order. Workers read it across tenants, to fan it out. */
@Entity(workerTable("event_log"))
@Unique({ name: "event_log_event", properties: ["tenantId", "eventId"] })
@Index({ name: "event_log_tenant_position", properties: ["tenantId", "position"] })
@Index({ name: "event_log_recorded_at", properties: ["recordedAt"] })
export class EventLogEntry {
  /** Cursor and `sequence`; ascends in commit order, with gaps. */
  @PrimaryKey({ type: "bigint", autoincrement: true })
  position: string;

  @Property({ type: wireId("ten") })
  tenantId: string;

  @Property({ type: wireId("evt") })
  eventId: string;

  @Property({ type: "text" })
  type: string;

  @Property({ type: "json" })
  envelope: Record<string, unknown>;

  @Property({ type: "timestamptz", defaultRaw: "now()" })
  recordedAt: Date;
}
