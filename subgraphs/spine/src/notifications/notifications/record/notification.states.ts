import type { NotificationStatus } from "@factory/schema/vocabularies/notifications";

/**
 * A notification's states and the states that may follow. A notification that was Sent fails when its channel reports
 * later that it did not arrive.
 */
const notificationStates = {
  Queued: { next: ["Sent", "Failed"], event: "NotificationRequested" },
  Sent: { next: ["Delivered", "Failed", "Read"], event: "NotificationSent" },
  Delivered: { next: ["Read"], event: "NotificationDelivered" },
  Failed: { next: [], event: "NotificationFailed" },
  Read: { next: [], event: "NotificationRead" },
} as const satisfies Record<NotificationStatus, object>;

export type NotificationState = keyof typeof notificationStates;

/** SQL condition: the notification is in the state that only its job ends. */
export const queuedCondition = "status = 'Queued'";

/** SQL condition: the notification lies in a user's inbox, and the user has not read it. Indexes contain it. */
export const unreadCondition = "channel = 'InApp' and status in ('Sent', 'Delivered')";

/** SQL condition: the notification is older than it is kept. */
export const expiredCondition = "created_at < now() - '180 days'::interval";

/** SQL condition: a broadcast has not reached all its recipients, and its job continues. */
export const broadcastContinues = "broadcast_after is not null";
