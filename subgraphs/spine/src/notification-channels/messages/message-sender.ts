import type { Delivery, QueuedNotification } from "../../notifications/delivery/channel-driver.js";
import type { ReadableMessage } from "./message-composer.js";

/** A message that is ready to be sent. */
export interface OutgoingMessage extends ReadableMessage {
  /** The id of the notification or of its digest, the same in every attempt. */
  readonly id: string;
}

/** Sends the messages of one channel. */
export interface MessageSender {
  /** Why the recipient gets no message; undefined where it does. */
  refusal(notification: QueuedNotification): Promise<string | undefined>;
  /** Ends the attempt as `ChannelDriver.deliver` does. */
  send(delivery: Delivery, message: OutgoingMessage): Promise<void>;
}
