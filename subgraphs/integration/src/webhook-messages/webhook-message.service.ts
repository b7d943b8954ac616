import type { Database, Transaction } from "@factory/runtime/db/database";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { JobDefinition, JobQueue } from "@factory/runtime/jobs/job-queue";
import type { Envelope } from "@factory/runtime/outbox/envelope";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { tenantOf } from "@factory/runtime/tenancy/tenant";
import type { WebhookSubscriptionService } from "../webhook-subscriptions/webhook-subscription.service.js";
import type { AttemptFailure, AttemptOutcome, WebhookMessageState } from "./webhook-message.states.js";
import type { WebhookMessageType } from "./webhook-message.type.js";

export interface WebhookAttemptPayload {
  tenantId: string;
  messageId: string;
  /** Number of the attempt this job is for, from 1. */
  attempt: number;
}

/**
 * One job per attempt. The job's own retries serve a worker that died or a database that was away; what the receiver
 * answers never fails the job.
 */
export const webhookAttemptJob: JobDefinition<WebhookAttemptPayload> = {
  queue: "integration.webhook-attempt",
  retryLimit: 20,
  retryDelaySeconds: 5,
  expireInSeconds: 60,
  concurrency: 16,
  concurrencyPerTenant: 8,
};

export interface PositionedEvent {
  readonly position: string;
  readonly envelope: Envelope;
}

interface MessageRow {
  message_id: string;
  event_id: string;
  event_type: string;
  status: WebhookMessageState;
  attempts: number;
  next_attempt_at: Date | null;
  created_at: Date;
  finished_at: Date | null;
  attempt_log: AttemptRow[] | null;
}

/** As `to_jsonb` gives it. */
interface AttemptRow {
  attempt_id: string;
  number: number;
  outcome: AttemptOutcome;
  failure: AttemptFailure | null;
  detail: string | null;
  status_code: number | null;
  response_body: string | null;
  started_at: string;
  duration_ms: number;
}

const messagesOfSubscription = tenantStatement(
  "webhook_messages_of_subscription",
  `select message_id, event_id, event_type, status, attempts, next_attempt_at, created_at, finished_at,
     (select jsonb_agg(to_jsonb(attempt) order by attempt.number) from webhook_attempts attempt
      where attempt.tenant_id = message.tenant_id and attempt.message_id = message.message_id) as attempt_log
   from webhook_messages message
   where tenant_id = scope.tenant and subscription_id = $2 order by created_at desc, message_id desc limit $3`,
);

const insertMessages = {
  name: "webhook_messages_insert",
  text: `insert into webhook_messages
      (tenant_id, message_id, subscription_id, event_id, event_type, position, status, attempts)
    select $1, message_id, subscription_id, event_id, event_type, position, 'Pending', 0
    from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::bigint[])
      as message(message_id, subscription_id, event_id, event_type, position)`,
};

/** Outgoing messages: what is to be sent to whom, and what became of it. */
export class WebhookMessageService {
  readonly #database: Database;
  readonly #jobs: JobQueue;
  readonly #subscriptions: WebhookSubscriptionService;

  constructor(database: Database, jobs: JobQueue, subscriptions: WebhookSubscriptionService) {
    this.#database = database;
    this.#jobs = jobs;
    this.#subscriptions = subscriptions;
  }

  /** One message and one job per event and Active subscription of its type. */
  async enqueue(transaction: Transaction, events: readonly PositionedEvent[]): Promise<void> {
    const types = [...new Set(events.map(({ envelope }) => envelope.type))];
    const active = await this.#subscriptions.active(transaction, types);
    if (active.length === 0) return;
    const messages = events.flatMap(({ position, envelope }) =>
      active
        .filter(({ eventType, subscriptionId }) => eventType === envelope.type && !isAbout(envelope, subscriptionId))
        .map(({ subscriptionId }) => ({ messageId: newId("msg"), subscriptionId, position, envelope })),
    );
    if (messages.length === 0) return;
    const { tenantId, uuid } = transaction.tenant;
    await transaction.later(insertMessages, [
      uuid,
      messages.map(({ messageId }) => decodeId("msg", messageId)),
      messages.map(({ subscriptionId }) => decodeId("whs", subscriptionId)),
      messages.map(({ envelope }) => decodeId("evt", envelope.id)),
      messages.map(({ envelope }) => envelope.type),
      messages.map(({ position }) => position),
    ]);
    const payloads = messages.map(({ messageId }) => ({ tenantId, messageId, attempt: 1 }));
    await this.#jobs.sendAll(transaction, webhookAttemptJob, payloads);
  }

  async scheduleAttempt(transaction: Transaction, payload: WebhookAttemptPayload, startAfter: Date): Promise<void> {
    await this.#jobs.send(transaction, webhookAttemptJob, payload, { startAfter });
  }

  async ofSubscription(context: RequestContext, subscriptionId: string, first: number): Promise<WebhookMessageType[]> {
    const rows = await this.#database.reader.rows<MessageRow>(
      messagesOfSubscription,
      tenantOf(context),
      decodeId("whs", subscriptionId),
      first,
    );
    return rows.map(messageView);
  }
}

/** Loop guard: a subscription is never told about itself. */
function isAbout(envelope: Envelope, subscriptionId: string): boolean {
  return envelope.subject.split("/").includes(subscriptionId);
}

function messageView(row: MessageRow): WebhookMessageType {
  return {
    messageId: encodeId("msg", row.message_id),
    eventId: encodeId("evt", row.event_id),
    eventType: row.event_type,
    status: row.status,
    attemptCount: row.attempts,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    attempts: (row.attempt_log ?? []).map((attempt) => ({
      attemptId: encodeId("att", attempt.attempt_id),
      number: attempt.number,
      outcome: attempt.outcome,
      failure: attempt.failure,
      detail: attempt.detail,
      statusCode: attempt.status_code,
      responseBody: attempt.response_body,
      startedAt: new Date(attempt.started_at).toISOString(),
      durationMs: attempt.duration_ms,
    })),
  };
}
