import { expiringTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** SQL condition: the slot limits nothing any more, and its notification was given up at the latest. */
export const expiredSlot = "due_at < now() - '2 days'::interval";

/** The time from which a notification may be sent by one hourly limit. */
@Entity(expiringTenantTable("notification_slots", expiredSlot))
@Index({ name: "notification_slots_limit", properties: ["tenantId", "limitKey", "dueAt"] })
@Index({ name: "notification_slots_due", properties: ["dueAt"] })
export class NotificationSlot {
  [PrimaryKeyProp]?: ["tenantId", "notificationId", "limitKey"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("ntf") })
  notificationId: string;

  /** A recipient, as `recipientKey` makes it, or the platform's mail server. */
  @PrimaryKey({ type: "text" })
  limitKey: string;

  @Property({ type: "timestamptz" })
  dueAt: Date;
}
