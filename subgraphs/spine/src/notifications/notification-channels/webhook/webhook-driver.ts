import type { ChannelDriver, RecipientProblem } from "../../notifications/delivery/channel-driver.js";
import type { NotificationTargets, SubscriptionTarget } from "../messages/notification-targets.js";

const eventType = "NotificationRequested";
const checksAtOnce = 10;

/**
 * The event NotificationRequested is the notification, and integration sends it to the webhook subscription that it names
 * and to no other one. The driver looks whether that subscription still gets it.
 */
export function webhookDriver(targets: NotificationTargets): ChannelDriver {
  return {
    async check(tenant, recipients) {
      const problems: RecipientProblem[] = [];
      for (let first = 0; first < recipients.length; first += checksAtOnce) {
        const some = recipients.slice(first, first + checksAtOnce).map(async ({ subscriptionId }, place) => {
          const subscription = await targets.subscription(tenant, subscriptionId ?? "");
          const detail = problemOf(subscription);
          if (detail !== undefined)
            problems.push({ at: first + place, pointer: "/subscriptionId", code: "UNKNOWN_VALUE", detail });
        });
        await Promise.all(some);
      }
      return problems.sort((first, second) => first.at - second.at);
    },
    async deliver(delivery) {
      const { tenant, recipient } = delivery.notification;
      const subscription = await targets.subscription(tenant, recipient.subscriptionId ?? "");
      await delivery.settle(
        problemOf(subscription) === undefined
          ? { status: "Sent" }
          : { status: "Failed", reason: `SUBSCRIPTION_${(subscription?.status ?? "Deleted").toUpperCase()}` },
      );
    },
  };
}

function problemOf(subscription: SubscriptionTarget | undefined): string | undefined {
  if (!subscription) return "The tenant has no webhook subscription with this id.";
  if (subscription.eventType !== eventType) return `The eventType of the webhook subscription must be ${eventType}.`;
  return subscription.status === "Active"
    ? undefined
    : `The webhook subscription is ${subscription.status}, so nothing is sent to it. Resume it first.`;
}
