import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";

/** Every event of the bus. Workers read it across tenants, to fan it out. */
@Entity(workerTable("event_log"))
@Unique({ name: "event_log_event", properties: ["tenantId", "eventId"] })
@Unique({ name: "event_log_sequence", properties: ["tenantId", "sequence"] })
@Index({ name: "event_log_recorded_at", properties: ["recordedAt"] })
export class EventLogEntry {
  /** Over all tenants, ascending in commit order, with gaps. No tenant sees it: it tells how busy the others are. */
  @PrimaryKey({ type: "bigint", autoincrement: true })
  position: string;

  @Property({ type: wireId("ten") })
  tenantId: string;

  /** The tenant's own count, in the same order: cursor of subscribers, `sequence` of webhooks. */
  @Property({ type: "bigint" })
  sequence: string;

  @Property({ type: wireId("evt") })
  eventId: string;

  @Property({ type: "text" })
  type: string;

  @Property({ type: "json" })
  envelope: Record<string, unknown>;

  @Property({ type: "timestamptz", defaultRaw: "now()" })
  recordedAt: Date;
}
