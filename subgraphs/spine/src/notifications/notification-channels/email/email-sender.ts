import { failpoint } from "@factory/runtime/faults/failpoint";
import type { Mail } from "../../../ground/mail/mail.js";
import { MailNotDeliveredError, type MailTransport } from "../../../ground/mail/mail-transport.js";
import type { Delivery, QueuedNotification } from "../../notifications/delivery/channel-driver.js";
import { lockedCategories } from "../../notifications/preferences/switched-off.js";
import { deliverByCommand } from "../commands/command-delivery.js";
import type { AttemptSchedule } from "../messages/attempt-schedule.js";
import type { MessageSender, MessageWay, OutgoingMessage } from "../messages/message-sender.js";
import type { NotificationTargets } from "../messages/notification-targets.js";
import type { HourlySlots } from "../throttle/hourly-slots.js";
import type { UnsubscribeLinks } from "../unsubscribe/unsubscribe-links.js";
import type { UnsubscribedAddresses } from "../unsubscribe/unsubscribed-addresses.js";
import { notificationMail } from "./notification-mail.js";

/** The time in which no mail is given to a server that did not take one. */
export class ServerPause {
  readonly #lengthMs: number;
  #failure: { readonly reason: string; readonly until: number } | undefined;

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  /** The failure for which mails wait; undefined when the server may be tried. */
  get reason(): string | undefined {
    return this.#failure && Date.now() < this.#failure.until ? this.#failure.reason : undefined;
  }

  begin(reason: string): void {
    this.#failure = { reason, until: Date.now() + this.#lengthMs };
  }
}

interface EmailParts {
  readonly targets: NotificationTargets;
  readonly links: UnsubscribeLinks;
  readonly unsubscribed: UnsubscribedAddresses;
  /** The platform's mail server, if it has one. */
  readonly transport: MailTransport | undefined;
  readonly schedule: AttemptSchedule;
  readonly slots: HourlySlots;
  /** The mails that one tenant may send in an hour by the platform's mail server. */
  readonly platformMailsPerHour: number;
}

/** The mails that one recipient gets in an hour by the platform's mail server. A tenant can only set a lower limit. */
const maxPerRecipientHour = 60;

/**
 * Sends messages by mail: through a tenant's connection with the capability email.send when there is one, else by the
 * platform's mail server. The Message-ID in the platform's mails is the message's id in every attempt.
 */
export class EmailSender implements MessageSender {
  readonly #parts: EmailParts;
  readonly #pause: ServerPause;

  constructor(parts: EmailParts) {
    this.#parts = parts;
    this.#pause = new ServerPause(parts.schedule.firstPauseMs);
  }

  async refusal({ tenant, recipient, category }: QueuedNotification): Promise<string | undefined> {
    if (recipient.email === null) return "RECIPIENT_WITHOUT_ADDRESS";
    if (recipient.userId !== null && lockedCategories.includes(category)) return undefined;
    return (await this.#parts.unsubscribed.has(tenant, recipient.email, category)) ? "UNSUBSCRIBED" : undefined;
  }

  async way({ tenant }: QueuedNotification): Promise<MessageWay> {
    if (await this.#parts.targets.hasConnection(tenant, "SendEmail"))
      return { send: (delivery, message) => this.#byConnection(delivery, message) };
    return { maxPerRecipientHour, send: (delivery, message) => this.#byPlatform(delivery, message) };
  }

  #mail({ tenant, recipient, category }: QueuedNotification, message: OutgoingMessage, senderName?: string): Mail {
    const to = recipient.email ?? "";
    const of = { tenantId: tenant.tenantId, userId: recipient.userId, email: to, category };
    return notificationMail({ to, message, unsubscribeUrl: this.#parts.links.urlFor(of), senderName });
  }

  async #byConnection(delivery: Delivery, message: OutgoingMessage): Promise<void> {
    const { to, subject, text, html, listUnsubscribe = null } = this.#mail(delivery.notification, message);
    await deliverByCommand(delivery, { type: "SendEmail", data: { to: [to], subject, text, html, listUnsubscribe } });
  }

  /** The mail names the tenant, since its address is the platform's. */
  async #byPlatform(delivery: Delivery, message: OutgoingMessage): Promise<void> {
    const { transport, schedule, slots, platformMailsPerHour: perHour } = this.#parts;
    if (!transport) return fail(delivery, "MAIL_SERVER_MISSING");
    const dueAt = await slots.take(delivery.notification, { key: "mail server of the platform", perHour });
    if (dueAt === "never") return fail(delivery, "MAIL_LIMIT_REACHED");
    if (dueAt) {
      await delivery.postpone(dueAt);
      return;
    }
    if (delivery.lane !== "Mail") {
      await delivery.continueIn("Mail");
      failpoint("notification.toMailLane");
      return;
    }
    // the server would keep each mail waiting
    const failure = this.#pause.reason;
    if (failure !== undefined) return schedule.tryLater(delivery, failure);
    try {
      failpoint("notification.mailing");
      const mail = this.#mail(delivery.notification, message, delivery.notification.tenantName);
      await transport.deliver(message.id, mail, delivery.signal);
      failpoint("notification.mailed");
    } catch (error) {
      if (!(error instanceof MailNotDeliveredError) || delivery.signal.aborted) throw error;
      const { isPermanent, isUnreachable, message: reason } = error;
      if (isUnreachable) this.#pause.begin(reason);
      // a mail server that refuses a mail for now, or does not answer, is asked again
      return isPermanent ? fail(delivery, reason) : schedule.tryLater(delivery, reason);
    }
    await delivery.settle({ status: "Sent" });
  }
}

async function fail(delivery: Delivery, reason: string): Promise<void> {
  await delivery.settle({ status: "Failed", reason });
}
