import { hashedLocks } from "@factory/runtime/db/advisory-locks";
import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { Cause } from "@factory/runtime/messages/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { TenantService } from "../../../tenants/tenants/tenant.service.js";
import { inactiveTenantAgainAt } from "../record/inactive-tenant.js";
import { NotificationMessage } from "../record/notification-message.entity.js";
import { tellUnreadOfAll } from "../record/unread-notice.js";
import { requestedContent } from "../request/notification-request.js";
import { type NewMessage, storeMessage } from "../request/store-notifications.js";
import type { BroadcastType } from "./broadcast.type.js";
import type { BroadcastNotificationInput } from "./broadcast-notification.input.js";
import { insertBroadcast, recipientsAfter, roleOfCode, tenantStatus } from "./broadcast-recipients-statement.js";
import { continueBroadcastJob } from "./continue-broadcast-job.js";

const stopAt = {
  name: "broadcast_stop",
  text: "update notification_messages set broadcast_after = null where tenant_id = $1 and message_id = $2",
};

interface BroadcastParts {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly tenants: TenantService;
}

/** A broadcast whose next recipients are reached in one transaction. */
interface OpenBroadcast {
  readonly messageId: string;
  readonly category: string;
  readonly roleCode: string | null;
  readonly after: string | null;
}

const openMembers = ["category", "roleCode", "requestedBy", "correlationId", "traceparent"] as const;

type OpenRow = RowOf<NotificationMessage, (typeof openMembers)[number]> & { broadcast_after: string };

/** The number of recipients that one transaction reaches, which takes at most 2 s. */
const batchSize = 10_000;

const lockOpen = {
  name: "broadcast_lock",
  text: `select ${columnsOf(NotificationMessage, [...openMembers, "broadcastAfter"])}
    from notification_messages
    where tenant_id = $1 and message_id = $2 and broadcast_after is not null for update`,
};

const advance = namedStatement(
  "broadcast_advance",
  `update notification_messages set recipient_count = recipient_count + $made, broadcast_after = $after
    where tenant_id = $tenant and message_id = $message`,
);

/** Sends in-app notifications to all users in a tenant, or to a role's holders. */
export class BroadcastService {
  readonly #parts: BroadcastParts;

  constructor(parts: BroadcastParts) {
    this.#parts = parts;
  }

  /** Reaches the first 10,000 recipients in the request's transaction; a job reaches the others. */
  send(context: RequestContext, input: BroadcastNotificationInput): Promise<BroadcastType> {
    const content = requestedContent(input.channel ?? "InApp", input);
    if (content.channel !== "InApp") throw onlyInApp();
    const { subject: requestedBy } = principalOf(context);
    const { database, jobs, tenants } = this.#parts;
    return idempotentMutation(database, context, {
      field: "broadcastNotification",
      arguments: { input },
      commit: async (transaction) => {
        await tenants.requireActive(transaction);
        await requireFewBroadcasts(transaction);
        const roleCode = await existingRole(transaction, input.roleCode ?? null);
        const createdAt = new Date();
        const message: NewMessage = {
          ...{ ...content, messageId: newId("ntm"), roleCode, recipientCount: 0, requestedBy, createdAt },
          audience: roleCode === null ? "Tenant" : "Role",
        };
        const { messageId } = message;
        await storeMessage(transaction, message);
        recordBroadcast(transaction, message);
        const { made, after } = await reachNext(transaction, { ...message, after: null });
        const payload = { tenantId: transaction.tenant.tenantId, messageId };
        if (after !== null) await jobs.send(transaction, continueBroadcastJob, payload);
        return {
          ...{ messageId, recipientCount: made, isComplete: after === null },
          createdAt: createdAt.toISOString(),
        };
      },
    });
  }

  /** Reaches the next 10,000 recipients. Another job reaches the others, so that tenants take turns. */
  async continue(payload: { tenantId: string; messageId: string }): Promise<void> {
    const { database, jobs } = this.#parts;
    const { tenantId, messageId } = payload;
    const tenant = tenantWithId(tenantId);
    const cause = { trace: continueTrace(undefined), actorId: "system" };
    await database.transaction(tenant, cause, async (transaction) => {
      const [row] = await transaction.execute<OpenRow>(lockOpen, [tenant.uuid, decodeId("ntm", messageId)]);
      if (!row) return;
      const status = await tenantStatus(transaction);
      if (status === "Archived") return stop(transaction, messageId);
      if (status !== "Active")
        return jobs.send(transaction, continueBroadcastJob, payload, { startAfter: inactiveTenantAgainAt() });
      if (await continued(transaction, messageId, row)) await jobs.send(transaction, continueBroadcastJob, payload);
      failpoint("broadcast.reached");
    });
    failpoint("broadcast.continued");
  }
}

/** Its other recipients get nothing. */
async function stop({ execute, tenant }: Transaction, messageId: string): Promise<void> {
  await execute(stopAt, [tenant.uuid, decodeId("ntm", messageId)]);
}

/** Answers whether recipients are left. */
async function continued(transaction: Transaction, messageId: string, row: OpenRow): Promise<boolean> {
  const { category, role_code: roleCode, requested_by: actorId, correlation_id: correlationId } = row;
  const after = encodeId("usr", row.broadcast_after);
  const cause = { trace: continueTrace(row.traceparent), correlationId, actorId };
  const next = await reachNext(transaction, { messageId, category, roleCode, after }, cause);
  return next.after !== null;
}

/** Reaches the next recipients with one event. `after` is null when all are reached. */
async function reachNext(transaction: Transaction, broadcast: OpenBroadcast, cause?: Cause) {
  const { messageId, category, roleCode } = broadcast;
  const { tenant, record, execute } = transaction;
  const userIds = await recipientsAfter(transaction, roleCode, { after: broadcast.after, count: batchSize });
  const notificationCount = await insertBroadcast(transaction, broadcast, userIds);
  const after = userIds.length === batchSize ? (userIds.at(-1) ?? null) : null;
  const progress = {
    message: decodeId("ntm", messageId),
    made: notificationCount,
    after: decodeId("usr", after) ?? null,
  };
  await execute(advance, advance.valuesOf({ tenant: tenant.uuid, ...progress }));
  const sentAt = new Date().toISOString();
  const facts = { tenantId: tenant.tenantId, messageId, notificationId: null, channel: "InApp", category };
  const data = { ...facts, recipientUserId: null, recipientCount: notificationCount, sentAt };
  if (notificationCount > 0)
    record({ type: "NotificationSent", subject: `notification-messages/${messageId}`, data }, cause);
  tellUnreadOfAll(transaction);
  return { made: notificationCount, after };
}

/** One event for all recipients, whose number the events NotificationSent tell. */
function recordBroadcast({ tenant, record }: Transaction, message: NewMessage): void {
  const { messageId, channel, category, priority, audience, roleCode, requestedBy, createdAt } = message;
  record({
    type: "NotificationRequested",
    subject: `notification-messages/${messageId}`,
    data: {
      ...{ tenantId: tenant.tenantId, messageId, notificationId: null, channel, category, recipientUserId: null },
      ...{ priority, audience, roleCode, recipientCount: null, requestedBy, subscriptionId: null },
      requestedAt: createdAt.toISOString(),
    },
  });
}

/** The role's code as the tenant writes it. Throws REFERENCE_NOT_FOUND. */
async function existingRole({ execute, tenant }: Transaction, code: string | null): Promise<string | null> {
  if (code === null) return null;
  const [role] = await execute<{ code: string }>(roleOfCode, [tenant.uuid, code]);
  if (role) return role.code;
  throw new DomainError("REFERENCE_NOT_FOUND", {
    detail: "The tenant has no role with this code. GET /v1/roles lists the roles of the tenant.",
    errors: [{ pointer: "/input/roleCode", code: "UNKNOWN_VALUE", detail: "Must be the code of a role." }],
  });
}

const onlyInApp = () =>
  new DomainError("NOT_SUPPORTED", {
    detail: "A broadcast reaches the inboxes of users only. Leave the channel out, or send to up to 100 recipients.",
    errors: [{ pointer: "/input/channel", code: "NOT_SUPPORTED", detail: "Must be InApp." }],
  });

/** A broadcast writes a row for each user, so a tenant cannot have many broadcasts. */
const maxPerHour = 60;

const countRecent = {
  name: "broadcasts_of_hour",
  text: `select count(*)::int as recent,
      ceil(extract(epoch from min(created_at) + interval '1 hour' - now()))::int as seconds
    from notification_messages
    where tenant_id = $1 and audience <> 'Recipients' and created_at > now() - interval '1 hour'`,
};

/** Takes turns with the tenant's other broadcasts until the commit. Throws RATE_LIMITED after 60 in an hour. */
async function requireFewBroadcasts({ execute, tenant }: Transaction): Promise<void> {
  await execute("select pg_advisory_xact_lock(hashtextextended($1, 0))", [hashedLocks.broadcasts(tenant.tenantId)]);
  const [row] = await execute<{ recent: number; seconds: number }>(countRecent, [tenant.uuid]);
  if (!row || row.recent < maxPerHour) return;
  throw new DomainError("RATE_LIMITED", {
    detail: `A tenant can send at most ${maxPerHour} broadcasts in an hour.`,
    retryAfterSeconds: Math.max(row.seconds, 1),
  });
}
