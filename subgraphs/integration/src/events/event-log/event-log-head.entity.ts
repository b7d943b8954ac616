import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";

/** The newest sequence in a tenant's log. It stays when the events are deleted. */
@Entity(tenantTable("event_log_heads"))
export class EventLogHead {
  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** The sequence of the tenant's newest event. */
  @Property({ type: "bigint" })
  sequence: string;
}
