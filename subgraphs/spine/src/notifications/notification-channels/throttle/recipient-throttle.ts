import type { TenantSettings } from "../../../settings/configuration/tenant-settings.js";
import type { QueuedNotification } from "../../notifications/delivery/channel-driver.js";
import { recipientKey } from "../messages/recipient-key.js";
import type { HourlySlots } from "./hourly-slots.js";

/** Limits a channel's messages that one recipient gets in an hour. */
export class RecipientThrottle {
  readonly #slots: HourlySlots;
  readonly #settings: TenantSettings;

  constructor(slots: HourlySlots, settings: TenantSettings) {
    this.#slots = slots;
    this.#settings = settings;
  }

  /**
   * The time from which the notification may be sent, as `HourlySlots.take` tells it. A tenant may set a lower limit than the
   * ceiling, and no higher one.
   */
  async dueAt(notification: QueuedNotification, ceiling = Infinity): Promise<Date | "never" | undefined> {
    const { tenant, channel } = notification;
    const limits = await this.#settings.get(tenant, "notifications.perRecipientHour");
    const ownLimit = channel === "Email" || channel === "Sms" ? limits[channel] : undefined;
    const perHour = Math.min(ownLimit ?? Infinity, ceiling);
    return perHour === Infinity
      ? undefined
      : this.#slots.take(notification, { key: recipientKey(notification), perHour });
  }
}
