import { foreignJson } from "@factory/runtime/db/foreign-json-column";
import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";

/** An event from the bus. Workers read events across tenants to deliver them to subscribers. */
@Entity(workerTable("event_log"))
@Unique({ name: "event_log_event", properties: ["tenantId", "eventId"] })
@Unique({ name: "event_log_sequence", properties: ["tenantId", "sequence"] })
@Index({ name: "event_log_recorded_at", properties: ["recordedAt"] })
export class EventLogEntry {
  /**
   * The position among all tenants' events, ascending in commit order and with gaps. Tenants never see it, because it
   * would tell them how many events other tenants have.
   */
  @PrimaryKey({ type: "bigint", autoincrement: true })
  position: string;

  @Property({ type: wireId("ten") })
  tenantId: string;

  /**
   * The event's number in its tenant, in the same order. It is the cursor for subscriptions and the `sequence` in
   * webhooks.
   */
  @Property({ type: "bigint" })
  sequence: string;

  @Property({ type: wireId("evt") })
  eventId: string;

  @Property({ type: "text" })
  type: string;

  @Property(foreignJson())
  envelope: Record<string, unknown>;

  /**
   * The correlation id's hash, by which `causalChain` searches without reading envelopes. Null in events from before
   * this column.
   */
  @Property({ type: "bigint", nullable: true })
  correlationHash: string | null;

  @Property({ type: "timestamptz", defaultRaw: "now()" })
  recordedAt: Date;
}
