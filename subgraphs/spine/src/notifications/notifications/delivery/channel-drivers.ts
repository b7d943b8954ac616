import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { NotificationChannel } from "@factory/schema/vocabularies/notifications";
import type { ChannelDriver, DeliveryOutcome } from "./channel-driver.js";

/** A channel with a driver. Notifications on the channel InApp are written into the inbox and need no driver. */
type DrivenChannel = Exclude<NotificationChannel, "InApp">;

type SettleOthers = (transaction: Transaction, notificationId: string, outcome: DeliveryOutcome) => Promise<void>;

/** The channel drivers, which the slices below register before the first request. */
export class ChannelDrivers {
  readonly #drivers = new Map<NotificationChannel, ChannelDriver>();
  #settleOthers: SettleOthers | undefined;

  register(channel: DrivenChannel, driver: ChannelDriver): void {
    this.#drivers.set(channel, driver);
  }

  /** Settles others with a notification that stood for them and whose attempts are used up, in the same transaction. */
  whenAbandoned(settleOthers: SettleOthers): void {
    this.#settleOthers = settleOthers;
  }

  async abandoned(...args: Parameters<SettleOthers>): Promise<void> {
    await this.#settleOthers?.(...args);
  }

  /** Throws NOT_SUPPORTED for a channel without a driver. */
  require(channel: DrivenChannel): ChannelDriver {
    const driver = this.#drivers.get(channel);
    if (driver) return driver;
    throw new DomainError("NOT_SUPPORTED", {
      detail: `This release does not deliver notifications over the channel ${channel}. Use one of ${["InApp", ...this.#drivers.keys()].join(", ")}.`,
      errors: [{ pointer: "/input/channel", code: "NOT_SUPPORTED", detail: "This channel is not delivered yet." }],
    });
  }
}
