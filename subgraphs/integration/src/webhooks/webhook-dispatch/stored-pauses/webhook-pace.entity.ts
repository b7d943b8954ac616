import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** How far a subscription with a limited rate has come. One without a limit has no row. */
@Entity(workerTable("webhook_paces"))
@Index({ name: "webhook_paces_next_at", properties: ["nextAt"] })
export class WebhookPaceRow {
  [PrimaryKeyProp]?: ["tenantId", "subscriptionId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("whs") })
  subscriptionId: string;

  /** The next message's time if all were sent at equal distances. */
  @Property({ type: "timestamptz" })
  nextAt: Date;

  /** How many messages the newest request for turns got. */
  @Property({ type: "integer" })
  granted: number;
}
