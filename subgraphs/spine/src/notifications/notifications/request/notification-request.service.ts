import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { RecipientRateLimiter } from "../../../ground/request-limits/recipient-rate-limiter.js";
import type { TenantService } from "../../../tenants/tenants/tenant.service.js";
import { plainBody } from "../../notification-templates/compose-message.js";
import type { NotificationTemplateService } from "../../notification-templates/notification-template.service.js";
import type { NotificationRecipient, RecipientProblem } from "../delivery/channel-driver.js";
import type { ChannelDrivers } from "../delivery/channel-drivers.js";
import { deliverNotificationJob } from "../delivery/deliver-notification-job.js";
import { oneNotification } from "../inbox/notification-list.js";
import { usersWithout } from "../preferences/switched-off.js";
import { activeUsers } from "../record/active-users-statement.js";
import { queuedCondition } from "../record/notification.states.js";
import type { NotificationRow } from "../record/notification.view.js";
import { type NotificationRequest, notificationRequest, type RequestedContent } from "./notification-request.js";
import type { SendNotificationInput } from "./send-notification.input.js";
import type { SentNotificationsType } from "./sent-notifications.type.js";
import { type NewNotification, storeMessage, storeNotifications } from "./store-notifications.js";

interface RequestParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly tenants: TenantService;
  readonly drivers: ChannelDrivers;
  readonly templates: NotificationTemplateService;
  readonly rate: RecipientRateLimiter;
}

/** The members that are kept for repeated requests. */
type SentResult = Omit<SentNotificationsType, "channel" | "recipient" | "title" | "body">;

const nobody: NotificationRecipient = { userId: null, email: null, phone: null, subscriptionId: null };

/** Takes requests for notifications. In-app ones are stored as Sent; the others are queued with a job for each recipient. */
export class NotificationRequestService {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  async send(context: RequestContext, input: SendNotificationInput): Promise<SentNotificationsType> {
    const request = notificationRequest(input);
    const result = await this.#sendOnce(context, input, request);
    return { ...result, ...(await this.#shown(tenantOf(context), request, result.notificationId)) };
  }

  #sendOnce(context: RequestContext, input: SendNotificationInput, request: NotificationRequest): Promise<SentResult> {
    const { subject: requestedBy } = principalOf(context);
    const pointerOf = (at: number) => (input.recipients ? `/input/recipients/${at}` : "/input/recipient");
    return idempotentMutation(this.#parts.database, context, {
      field: "sendNotification",
      arguments: { input },
      prepare: async () => {
        await this.#count(context, request.recipients.length);
        return this.#prepare(context, request, pointerOf);
      },
      commit: async (transaction, content) => {
        await this.#parts.tenants.requireActive(transaction);
        if (content.channel !== "InApp") await requireShortQueue(transaction);
        await requireUsers(transaction, request.recipients, pointerOf);
        return this.#store(transaction, { ...request, content }, requestedBy);
      },
    });
  }

  /** A repeated request shows what it asks for itself. A template's text is read, since it may be erased meanwhile. */
  async #shown(tenant: Tenant, { content, recipients }: NotificationRequest, notificationId: string) {
    const { channel, title, body, templateKey } = content;
    const [recipient = nobody] = recipients;
    if (templateKey === null) return { channel, recipient, title, body };
    const { reader } = this.#parts.database;
    const row = await reader.row<NotificationRow>(oneNotification, tenant, decodeId("ntf", notificationId));
    return { channel, recipient, title: row?.title ?? null, body: row?.body ?? null };
  }

  /** A repeated request is not counted. */
  async #count(context: RequestContext, recipients: number): Promise<void> {
    const { editionCode } = principalOf(context);
    const seconds = await this.#parts.rate.consume(tenantOf(context).tenantId, editionCode, recipients);
    if (seconds === undefined) return;
    throw new DomainError("RATE_LIMITED", {
      detail: "The tenant has requested too many notifications in this minute. Try again when it is over.",
      retryAfterSeconds: seconds,
    });
  }

  /** Work outside the transaction: the channel's checks, and the template's text. */
  async #prepare(context: RequestContext, { content, recipients }: NotificationRequest, pointerOf: PointerOf) {
    const { channel } = content;
    if (channel !== "InApp") {
      const problems = await this.#parts.drivers.require(channel).check?.(tenantOf(context), recipients);
      if (problems && problems.length > 0) throw unknownRecipients(problems, pointerOf);
    }
    return this.#withText(context, content);
  }

  async #withText(context: RequestContext, content: RequestedContent): Promise<RequestedContent> {
    const { templateKey: key, data, locale } = content;
    if (key === null) return content;
    const message = await this.#parts.templates.render(context, { key, data: data ?? {}, locale });
    if (!message) throw unknownTemplate(key);
    return { ...content, title: message.title, body: plainBody(message) };
  }

  async #store(
    transaction: Transaction,
    { content, recipients }: NotificationRequest,
    requestedBy: string,
  ): Promise<SentResult> {
    const [messageId, createdAt] = [newId("ntm"), new Date()];
    const states = await beginningStates(transaction, content, recipients);
    const notifications = recipients.map(
      (recipient): NewNotification => ({ notificationId: newId("ntf"), recipient, status: states(recipient) }),
    );
    const audience = { audience: "Recipients", roleCode: null, recipientCount: recipients.length } as const;
    const message = { ...content, ...audience, messageId, requestedBy, createdAt };
    await storeMessage(transaction, message);
    await storeNotifications(transaction, message, notifications);
    const notificationIds = notifications.map(({ notificationId }) => notificationId);
    if (content.channel !== "InApp") {
      const { tenantId } = transaction.tenant;
      const payloads = notificationIds.map((notificationId) => ({ tenantId, notificationId }));
      await this.#parts.jobs.sendAll(transaction, deliverNotificationJob, payloads);
    }
    const [{ notificationId, status } = { notificationId: "", status: "Queued" as const }] = notifications;
    return { notificationId, notificationIds, messageId, status, createdAt: createdAt.toISOString() };
  }
}

/** An in-app notification has its outcome at once. The others are Queued, and their preferences are read when they are sent. */
async function beginningStates(
  transaction: Transaction,
  content: RequestedContent,
  recipients: readonly NotificationRecipient[],
): Promise<(recipient: NotificationRecipient) => "Queued" | "Sent" | "Failed"> {
  if (content.channel !== "InApp") return () => "Queued";
  const userIds = recipients.flatMap(({ userId }) => userId ?? []);
  const without = await usersWithout(transaction, userIds, content);
  return ({ userId }) => (userId !== null && without.has(userId) ? "Failed" : "Sent");
}

const unknownTemplate = (key: string) =>
  new DomainError("REFERENCE_NOT_FOUND", {
    detail: `The template "${key}" does not exist. GET /v1/notification-templates lists the templates of the tenant.`,
    errors: [{ pointer: "/input/templateKey", code: "UNKNOWN_VALUE", detail: "Must be the key of a template." }],
  });

type PointerOf = (at: number) => string;

/** Throws REFERENCE_NOT_FOUND with a pointer to each recipient that is not an active user in the tenant. */
async function requireUsers(
  transaction: Transaction,
  recipients: readonly NotificationRecipient[],
  pointerOf: PointerOf,
): Promise<void> {
  const active = await activeUsers(
    transaction,
    recipients.flatMap(({ userId }) => userId ?? []),
  );
  const problems = recipients.flatMap(({ userId }, at): RecipientProblem[] =>
    userId === null || active.has(userId)
      ? []
      : [{ at, pointer: "/userId", code: "UNKNOWN_VALUE", detail: "The tenant has no active user with this id." }],
  );
  if (problems.length > 0) throw unknownRecipients(problems, pointerOf);
}

function unknownRecipients(problems: readonly RecipientProblem[], pointerOf: PointerOf): DomainError {
  return new DomainError("REFERENCE_NOT_FOUND", {
    detail: "Recipients of the notification cannot be reached. See errors for each of them.",
    errors: problems.map(({ at, pointer, code, detail }) => ({ pointer: pointerOf(at) + pointer, code, detail })),
  });
}

/** A tenant delivers few notifications at once, so a longer queue would only wait, and burden every other tenant. */
const maxQueued = 10_000;
const retryAfterSeconds = 60;

const countQueued = {
  name: "notifications_queued",
  text: `select count(*)::int as queued from (
    select from notifications where tenant_id = $1 and ${queuedCondition} limit ${maxQueued}) counted`,
};

/** Throws RATE_LIMITED when 10,000 of the tenant's notifications wait for their delivery. */
async function requireShortQueue({ execute, tenant }: Transaction): Promise<void> {
  const [row] = await execute<{ queued: number }>(countQueued, [tenant.uuid]);
  if (!row || row.queued < maxQueued) return;
  throw new DomainError("RATE_LIMITED", {
    detail: `${maxQueued} notifications of the tenant wait for their delivery. Try again when some of them are sent.`,
    retryAfterSeconds,
  });
}
