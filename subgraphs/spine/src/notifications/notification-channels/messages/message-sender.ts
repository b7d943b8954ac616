import type { Delivery, QueuedNotification } from "../../notifications/delivery/channel-driver.js";
import type { ReadableMessage } from "./message-composer.js";

/** A message that is ready to be sent. */
export interface OutgoingMessage extends ReadableMessage {
  /** The notification's or its digest's id, the same in every attempt. */
  readonly id: string;
}

/** A way by which a tenant's messages leave now. */
export interface MessageWay {
  /** The platform's ceiling for messages to one recipient in an hour, where it has one. */
  readonly maxPerRecipientHour?: number;
  /** Ends the attempt as `ChannelDriver.deliver` does. */
  send(delivery: Delivery, message: OutgoingMessage): Promise<void>;
}

/** Sends one channel's messages. */
export interface MessageSender {
  /** Why the recipient gets no message; undefined where it does. */
  refusal(notification: QueuedNotification): Promise<string | undefined>;
  /** Throws UNAVAILABLE while it cannot be told. */
  way(notification: QueuedNotification): Promise<MessageWay>;
}
