import type { FieldError } from "@factory/runtime/errors/domain-error";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { NotificationChannel } from "@factory/schema/vocabularies/notifications";
import type { DeliveryLane } from "../record/delivery-lane.js";

/** One recipient's address. Exactly one member that names an address is set; `email` also beside `userId`. */
export interface NotificationRecipient {
  readonly userId: string | null;
  readonly email: string | null;
  /** E.164, for example +4930123456. */
  readonly phone: string | null;
  /** The webhook subscription (`whs_…`), for the channel Webhook only. */
  readonly subscriptionId: string | null;
}

/** The content that all recipients in one request share. Either `title` and `body` or `templateKey` is set. */
export interface NotificationContent {
  readonly title: string | null;
  readonly body: string | null;
  readonly templateKey: string | null;
  /** The template's values. */
  readonly data: Readonly<Record<string, unknown>> | null;
  /** A language tag (BCP 47), for example `de` or `pt-BR`; null: the template's default. */
  readonly locale: string | null;
}

/** Notifications to one recipient with the same key become one message when the first one's window ends. */
export interface DigestWindow {
  readonly key: string;
  readonly windowSeconds: number;
}

/** A notification in the state Queued, as its channel's driver gets it. */
export interface QueuedNotification extends NotificationContent {
  readonly tenant: Tenant;
  /** The tenant's present name, as it was entered. */
  readonly tenantName: string;
  /** `ntf_…`. It is the same in every attempt, so a Message-ID or an idempotency key is derived from it. */
  readonly notificationId: string;
  /** `ntm_…`: the request that it belongs to; all its recipients share it. */
  readonly messageId: string;
  readonly channel: NotificationChannel;
  /** For a recipient with a `userId`, `email` is that user's present address. */
  readonly recipient: NotificationRecipient;
  readonly category: string;
  /** Null for a notification that is a separate message. */
  readonly digest: DigestWindow | null;
  readonly priority: string;
  /** `usr_…` or `cli_…`, and the scopes that a command needs which is sent in its name. */
  readonly requestedBy: string;
  readonly createdAt: Date;
  /** The handle that an earlier `handOver` stored; null before. */
  readonly handle: string | null;
}

/** The outcome of a delivery. `Delivered` after Queued also records NotificationSent. */
export type DeliveryOutcome =
  | { readonly status: "Sent" | "Delivered" }
  /** `reason` is shown to the tenant: a code such as `UNSUBSCRIBED`, or a sentence without secrets and addresses. */
  | { readonly status: "Failed"; readonly reason: string };

/**
 * One attempt to deliver one notification. An attempt ends with exactly one call to its methods. Each is one
 * transaction that first locks the notification, and does nothing and answers false when the notification is not
 * Queued. `also` writes in the same transaction.
 */
export interface Delivery {
  readonly notification: QueuedNotification;
  /** From 1. Interruptions do not count when the process died. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** The queue for the job that makes this attempt. */
  readonly lane: DeliveryLane;
  /** Stores the outcome with its event. */
  settle(outcome: DeliveryOutcome, also?: (transaction: Transaction) => Promise<void>): Promise<boolean>;
  /**
   * Leaves the notification Queued because somebody else answers later, for example a command on the bus. `work`
   * returns the handle by which the answer names it (the command's id). Without an answer until `answerBy` the driver
   * is called again, with the handle.
   */
  handOver(answerBy: Date, work: (transaction: Transaction) => Promise<string>): Promise<boolean>;
  /** Runs the delivery again at that time. This is not a failure: for throttles, digests and greylisting. */
  postpone(until: Date, also?: (transaction: Transaction) => Promise<void>): Promise<boolean>;
  /** Runs the delivery again at once by a job in another lane. */
  continueIn(lane: DeliveryLane): Promise<boolean>;
}

/**
 * Delivers the notifications of one channel. It is registered by the module of its slice, and the API accepts a channel
 * from the release on in which its driver is registered:
 *
 *     services.get(ChannelDrivers).register("Sms", driver);
 */
export interface ChannelDriver {
  /**
   * Refuses recipients before anything is stored; `at` is the position in `recipients`, and pointers are relative to
   * the recipient, for example `/subscriptionId`. It runs before the request's transaction.
   */
  check?(tenant: Tenant, recipients: readonly NotificationRecipient[]): Promise<readonly RecipientProblem[]>;
  /**
   * Delivers. A thrown error is a failure: the attempt is repeated with backoff, and after the third failure the
   * notification is Failed. Its `failureReason` is the error's code, or DELIVERY_FAILED without a platform code.
   */
  deliver(delivery: Delivery): Promise<void>;
}

export interface RecipientProblem extends FieldError {
  readonly at: number;
}
