import { rowReader } from "@factory/runtime/db/entity-rows";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobAttempt, JobEnd, JobOwner } from "@factory/runtime/jobs/definitions/job-definition";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { Cause } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { errorCodes } from "@factory/schema/error-codes";
import { switchedOffReason } from "../preferences/switched-off.js";
import type { DeliveryLane } from "../record/delivery-lane.js";
import { inactiveTenantAgainAt } from "../record/inactive-tenant.js";
import { Notification } from "../record/notification.entity.js";
import { NotificationMessage } from "../record/notification-message.entity.js";
import { planByKeys } from "../record/plan-by-keys.js";
import type { QueuedNotification } from "./channel-driver.js";
import type { ChannelDrivers } from "./channel-drivers.js";
import { DeliveryAttempt } from "./delivery-attempt.js";
import { type QueuedRow, queuedNotification } from "./queued-notification-statement.js";
import { settleNotification } from "./settle-notification.js";

interface DeliveryPayload {
  tenantId: string;
  notificationId: string;
}

interface DeliveryParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly drivers: ChannelDrivers;
}

/** The longest time for which postponed attempts may hold up a notification. */
const patienceMs = 3 * 24 * 3_600_000;

/** Runs the notifications' jobs: each is one attempt by the channel's driver. */
export class NotificationDelivery implements JobOwner<DeliveryPayload> {
  readonly #parts: DeliveryParts;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /** A notification that is not Queued any more, or whose job is in another lane, needs nothing. */
  async run(
    { tenantId, notificationId }: DeliveryPayload,
    { attempt, signal }: JobAttempt,
    lane: DeliveryLane,
  ): Promise<void> {
    const { database, jobs, drivers } = this.#parts;
    const tenant = tenantWithId(tenantId);
    const row = await this.#queued(tenant, notificationId);
    if (row?.lane !== lane) return;
    const notification = notificationOf(tenant, notificationId, row);
    const delivery = new DeliveryAttempt({ database, jobs, cause: causeOf(row), notification, attempt, signal, lane });
    const refusal = refusalOf(row);
    if (refusal !== undefined) {
      await delivery.settle({ status: "Failed", reason: refusal });
      return;
    }
    if (row.tenant_status !== "Active") {
      await delivery.postpone(inactiveTenantAgainAt());
      return;
    }
    await drivers.require(row.channel).deliver(delivery);
    if (!delivery.hasEnded) throw new Error(`The driver of ${row.channel} left a notification without an outcome`);
  }

  #queued(tenant: Tenant, notificationId: string): Promise<QueuedRow | undefined> {
    return this.#parts.database.transaction(tenant, bySystem(), async (transaction) => {
      await planByKeys(transaction);
      const values = [tenant.uuid, decodeId("ntf", notificationId)];
      return (await transaction.execute<QueuedRow>(queuedNotification, values))[0];
    });
  }

  async abandoned({ tenantId, notificationId }: DeliveryPayload, end: JobEnd): Promise<void> {
    const { database, drivers } = this.#parts;
    const outcome = { status: "Failed", reason: reasonOf(end) } as const;
    await database.transaction(tenantWithId(tenantId), bySystem(), async (transaction) => {
      await planByKeys(transaction);
      if (await settleNotification(transaction, notificationId, outcome))
        await drivers.abandoned(transaction, notificationId, outcome);
    });
  }
}

/** An unexpected error's text stays in the log, since it may have addresses of the platform's own machines. */
const reasonOf = ({ code }: JobEnd): string =>
  code !== undefined && code !== "INTERNAL" && Object.hasOwn(errorCodes, code) ? code : "DELIVERY_FAILED";

const bySystem = (): Cause => ({ trace: continueTrace(undefined), actorId: "system" });

/** The reason for which the notification is not given to its driver. */
function refusalOf(row: QueuedRow): string | undefined {
  const { tenant_status: tenantStatus, user_status: status, switched_off: isSwitchedOff, created_at } = row;
  if (tenantStatus === "Archived") return "TENANT_ARCHIVED";
  if (status !== null && status !== "Active") return "RECIPIENT_INACTIVE";
  // the sender does not learn whether an address belongs to a user
  if (isSwitchedOff) return row.recipient_user_id === null ? "UNSUBSCRIBED" : switchedOffReason;
  return Date.now() - new Date(created_at).getTime() > patienceMs ? "NOT_DELIVERED_IN_TIME" : undefined;
}

/** The sender's scope was checked when the notification was requested. */
function causeOf({ traceparent, correlation_id: correlationId, requested_by: actorId }: QueuedRow): Cause {
  return { trace: continueTrace(traceparent), correlationId, actorId, actorScopes: new Set(["notification.send"]) };
}

const readNotification = rowReader(Notification);
const readMessage = rowReader(NotificationMessage);

function notificationOf(tenant: Tenant, notificationId: string, row: QueuedRow): QueuedNotification {
  const { recipientUserId, recipientPhone, subscriptionId, createdAt, handle } = readNotification(row);
  const { messageId, digestKey, digestSeconds, ...message } = readMessage(row);
  const { category, priority, title, body, templateKey, data, locale, requestedBy } = message;
  return {
    ...{ tenant, tenantName: row.tenant_name, notificationId, messageId, channel: row.channel },
    recipient: { userId: recipientUserId, email: row.email, phone: recipientPhone, subscriptionId },
    ...{ category, priority, title, body, templateKey, data, locale, requestedBy, createdAt, handle },
    digest: digestKey === null ? null : { key: digestKey, windowSeconds: digestSeconds ?? 0 },
  };
}
