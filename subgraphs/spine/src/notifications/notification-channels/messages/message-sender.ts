import type { Delivery, QueuedNotification } from "../../notifications/delivery/channel-driver.js";
import type { ReadableMessage } from "./message-composer.js";

/** A message that is ready to be sent. */
export interface OutgoingMessage extends ReadableMessage {
  /** The id of the notification or of its digest, the same in every attempt. */
  readonly id: string;
}

/** A way by which messages of a tenant leave now. */
export interface MessageWay {
  /** The ceiling of the platform for messages to one recipient in an hour, where it has one. */
  readonly maxPerRecipientHour?: number;
  /** Ends the attempt as `ChannelDriver.deliver` does. */
  send(delivery: Delivery, message: OutgoingMessage): Promise<void>;
}

/** Sends the messages of one channel. */
export interface MessageSender {
  /** Why the recipient gets no message; undefined where it does. */
  refusal(notification: QueuedNotification): Promise<string | undefined>;
  /** Throws UNAVAILABLE while it cannot be told. */
  way(notification: QueuedNotification): Promise<MessageWay>;
}
