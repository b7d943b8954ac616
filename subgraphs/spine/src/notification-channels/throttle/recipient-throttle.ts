import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { TenantSettings } from "../../configuration/tenant-settings.js";
import type { QueuedNotification } from "../../notifications/delivery/channel-driver.js";
import { recipientKey } from "../messages/recipient-key.js";

const lockRecipient = {
  name: "notification_slot_lock",
  text: "select pg_advisory_xact_lock(hashtextextended($1, 0))",
};

/** $1: tenant, $2: notification, $3: recipient, $4: messages in an hour. A second call answers the same. */
const takeSlot = {
  name: "notification_slot_take",
  text: `with known as (
      select due_at from notification_slots where tenant_id = $1 and notification_id = $2),
    before as (
      select due_at from notification_slots where tenant_id = $1 and recipient_key = $3
      order by due_at desc offset $4 - 1 limit 1),
    taken as (
      insert into notification_slots (tenant_id, notification_id, recipient_key, due_at)
      select $1, $2, $3, greatest(now(), (select due_at + interval '1 hour' from before))
      where not exists (select from known) returning due_at)
    select extract(epoch from due_at - now())::float8 * 1000 as wait_ms from (table known union all table taken) slot`,
};

/**
 * Limits the messages of a channel that one recipient gets in an hour. Each notification takes a slot once, in the order in
 * which deliveries come, so that those that wait need no further attempt before their time.
 */
export class RecipientThrottle {
  readonly #database: Database;
  readonly #settings: TenantSettings;

  constructor(database: Database, settings: TenantSettings) {
    this.#database = database;
    this.#settings = settings;
  }

  /** The time from which the notification may be sent; undefined for now. */
  async dueAt(notification: QueuedNotification): Promise<Date | undefined> {
    const { tenant, notificationId, channel } = notification;
    const limits = await this.#settings.get(tenant, "notifications.perRecipientHour");
    const limit = channel === "Email" || channel === "Sms" ? limits[channel] : undefined;
    if (limit === undefined) return undefined;
    const key = recipientKey(notification);
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    const waitMs = await this.#database.transaction(tenant, cause, async ({ defer, execute }) => {
      await defer(lockRecipient, [key]);
      const values = [tenant.uuid, decodeId("ntf", notificationId), key, limit];
      const [slot] = await execute<{ wait_ms: number }>(takeSlot, values);
      return slot?.wait_ms ?? 0;
    });
    return waitMs > 0 ? new Date(Date.now() + waitMs) : undefined;
  }
}
