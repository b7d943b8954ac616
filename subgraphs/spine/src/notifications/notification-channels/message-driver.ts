import { digestTemplate } from "../notification-templates/built-in-templates.js";
import { beginning } from "../notification-templates/plain-text.js";
import type { ChannelDriver, Delivery } from "../notifications/delivery/channel-driver.js";
import { type DigestContent, type Digests, settleOthers } from "./digest/digests.js";
import type { MessageComposer } from "./messages/message-composer.js";
import type { MessageSender, OutgoingMessage } from "./messages/message-sender.js";
import type { RecipientThrottle } from "./throttle/recipient-throttle.js";

interface DriverParts {
  readonly sender: MessageSender;
  readonly composer: MessageComposer;
  readonly throttle: RecipientThrottle;
  readonly digests: Digests;
}

/** A notification whose digest another one sends comes so much later than the next attempt to send it. */
const digestPauseMs = 60_000;

/** Delivers messages to people: at most so many to one recipient in an hour, and many in one where they ask for it. */
export class MessageDriver implements ChannelDriver {
  readonly #parts: DriverParts;

  constructor(parts: DriverParts) {
    this.#parts = parts;
  }

  async deliver(delivery: Delivery): Promise<void> {
    const { sender, throttle } = this.#parts;
    const { notification } = delivery;
    const whole = notification.digest ? forAllOfDigest(delivery) : delivery;
    if (notification.handle !== null) return fail(whole, "NO_ANSWER");
    const refusal = await sender.refusal(notification);
    if (refusal !== undefined) return fail(delivery, refusal);
    const message = notification.digest ? await this.#digest(delivery) : await this.#single(delivery);
    if (!message) return;
    const way = await sender.way(notification);
    const dueAt = await throttle.dueAt(notification, way.maxPerRecipientHour);
    if (dueAt === "never") await fail(whole, "RECIPIENT_THROTTLED");
    else if (dueAt) await delivery.postpone(dueAt);
    else await way.send(whole, message);
  }

  async #single({ notification }: Delivery): Promise<OutgoingMessage> {
    return { ...(await this.#parts.composer.compose(notification)), id: notification.notificationId };
  }

  /** Undefined, when the notification was postponed: its window is open, or another one stands for the digest. */
  async #digest(delivery: Delivery): Promise<OutgoingMessage | undefined> {
    const { digests, composer } = this.#parts;
    const { notification } = delivery;
    const { digestId, closesAt } = await digests.join(notification);
    if (closesAt) return postponed(delivery, closesAt);
    const { tenant, notificationId } = notification;
    const first = await digests.close(tenant, digestId);
    if (first?.notificationId !== notificationId)
      return postponed(delivery, new Date(Math.max(first?.dueAt.getTime() ?? 0, Date.now()) + digestPauseMs));
    // one more character tells that a text goes on
    const content = await digests.content(tenant, digestId, { items: listedItems, characters: listedBody + 1 });
    const message =
      content.count > 1
        ? await composer.fromTemplate(notification, digestTemplate, digestData(content))
        : await composer.compose(notification);
    return { ...message, id: digestId };
  }
}

async function postponed(delivery: Delivery, until: Date): Promise<undefined> {
  await delivery.postpone(until);
  return undefined;
}

async function fail(delivery: Delivery, reason: string): Promise<void> {
  await delivery.settle({ status: "Failed", reason });
}

/** The delivery whose outcome all notifications in the digest get. */
const forAllOfDigest = (delivery: Delivery): Delivery => ({
  notification: delivery.notification,
  attempt: delivery.attempt,
  signal: delivery.signal,
  lane: delivery.lane,
  settle: (outcome, also) =>
    delivery.settle(outcome, async (transaction) => {
      await settleOthers(transaction, delivery.notification.notificationId, outcome);
      await also?.(transaction);
    }),
  handOver: (answerBy, work) => delivery.handOver(answerBy, work),
  postpone: (until, also) => delivery.postpone(until, also),
  continueIn: (lane) => delivery.continueIn(lane),
});

const [listedItems, listedTitle, listedBody] = [20, 100, 300];

/** The first notifications with their texts' beginnings, and how many others there are. */
const digestData = ({ count, items }: DigestContent) => ({
  count,
  items: items.map(({ title, body }) => ({
    ...(title ? { title: beginning(title, listedTitle) } : {}),
    body: beginning(body ?? "", listedBody),
  })),
  ...(count > items.length ? { more: count - items.length } : {}),
});
