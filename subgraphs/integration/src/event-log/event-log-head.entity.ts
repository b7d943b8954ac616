import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";

/** How far a tenant's log has come, whatever was pruned of it since. */
@Entity(tenantTable("event_log_heads"))
export class EventLogHead {
  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** Of the tenant's newest event. */
  @Property({ type: "bigint" })
  sequence: string;
}
