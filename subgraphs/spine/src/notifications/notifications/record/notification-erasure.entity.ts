import { sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** SQL condition: jobs erase the notifications. The row is deleted after the last notification. */
export const erasureContinues = "true";

/** A deleted person whose notifications are being erased. */
@Entity(sweptTenantTable("notification_erasures", erasureContinues))
@Index({ name: "notification_erasures_address", properties: ["tenantId", "emailKey"] })
@Index({ name: "notification_erasures_waiting", properties: ["userId"] })
export class NotificationErasure {
  [PrimaryKeyProp]?: ["tenantId", "userId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("usr") })
  userId: string;

  /** The former address as `mailAddressKey` makes it. Notifications may have been sent to it without the user id. */
  @Property({ type: "text" })
  emailKey: string;

  @Property({ type: "timestamptz" })
  requestedAt: Date;
}

/**
 * Joins `erasure.is_pending` to a `notification`: its recipient is a deleted person, and a job erases it soon. A notification
 * that was sent to the address after the deletion stays.
 */
export const withErasure = `cross join lateral (select
    exists (select from notification_erasures person
      where person.tenant_id = notification.tenant_id and person.user_id = notification.recipient_user_id)
    or exists (select from notification_erasures person
      where person.tenant_id = notification.tenant_id and person.email_key = notification.recipient_email_key
        and person.requested_at >= notification.created_at) as is_pending offset 0) erasure`;
