import { expiringTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** SQL condition: the slot limits nothing any more, and its notification was given up at the latest. */
export const expiredSlot = "due_at < now() - '2 days'::interval";

/** The time from which a notification may be sent to its recipient. */
@Entity(expiringTenantTable("notification_slots", expiredSlot))
@Index({ name: "notification_slots_recipient", properties: ["tenantId", "recipientKey", "dueAt"] })
@Index({ name: "notification_slots_due", properties: ["dueAt"] })
export class NotificationSlot {
  [PrimaryKeyProp]?: ["tenantId", "notificationId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("ntf") })
  notificationId: string;

  /** As `recipientKey` makes it. */
  @Property({ type: "text" })
  recipientKey: string;

  @Property({ type: "timestamptz" })
  dueAt: Date;
}
