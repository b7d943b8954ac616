import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ChannelDriver } from "../notifications/delivery/channel-driver.js";
import type { AttemptSchedule } from "./messages/attempt-schedule.js";

const outages = ["UNAVAILABLE", "UPSTREAM_TIMEOUT", "UPSTREAM_FAILED"];

/** The driver, which waits while integration does not answer. Such an outage does not make the notification fail. */
export function patientDriver(driver: ChannelDriver, schedule: AttemptSchedule): ChannelDriver {
  return {
    check: async (tenant, recipients) => (await driver.check?.(tenant, recipients)) ?? [],
    async deliver(delivery) {
      try {
        await driver.deliver(delivery);
      } catch (error) {
        const isOutage = error instanceof DomainError && outages.includes(error.code);
        if (!isOutage || delivery.signal.aborted) throw error;
        await schedule.tryLater(delivery, error.code);
      }
    },
  };
}
