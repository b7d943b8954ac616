/**
 * The queues in which notifications are delivered. A mail server that does not answer holds up the lane Mail only, and neither
 * webhooks nor messages that leave as commands.
 */
export type DeliveryLane = "Common" | "Mail";
