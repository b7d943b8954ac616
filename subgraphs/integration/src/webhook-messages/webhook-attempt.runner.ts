import type { Database, Transaction } from "@factory/runtime/db/database";
import type { Egress } from "@factory/runtime/egress/egress";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId, encodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/outbox/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { CredentialService } from "../credentials/credential.service.js";
import type { WebhookSubscriptionService } from "../webhook-subscriptions/webhook-subscription.service.js";
import { type DeliveryVerdict, errorVerdict, failedVerdict, responseVerdict } from "./delivery-verdict.js";
import { retryDelayMs } from "./retry-schedule.js";
import type { WebhookAttemptPayload, WebhookMessageService } from "./webhook-message.service.js";
import type { WebhookMessageState } from "./webhook-message.states.js";
import { webhookRequest } from "./webhook-request.js";

export interface AttemptRunnerSettings {
  readonly database: Database;
  readonly egress: Egress;
  readonly messages: WebhookMessageService;
  readonly subscriptions: WebhookSubscriptionService;
  readonly credentials: CredentialService;
  /** Delay before each attempt; its length is the number of attempts. */
  readonly retryDelaysMs: readonly number[];
}

interface Claim {
  readonly subscriptionId: string;
  readonly endpointUrl: string;
  readonly contentType: string;
  readonly position: string;
  readonly envelope: Envelope;
  readonly secrets: readonly string[];
  /** Earlier attempts of the subscription failed and none has succeeded since. */
  readonly failing: boolean;
}

interface ClaimRow {
  subscription_id: string;
  subscription_status: string;
  endpoint_url: string;
  content_type: string;
  credential_id: string;
  position: string;
  envelope: Envelope | null;
  failing: boolean;
}

const connectTimeoutMs = 5_000;
const totalTimeoutMs = 15_000;
const maxResponseBytes = 64 * 1024;

// Losing an attempt's record to a crash of the server sends the message again, which may happen at any time anyway.
const relaxed = "relaxed as materialized (select set_config('synchronous_commit', 'off', true))";

const claimMessage = {
  name: "webhook_message_claim",
  text: `
    with ${relaxed}, claimed as (
      update webhook_messages set status = 'Delivering', next_attempt_at = null from relaxed
      where tenant_id = $1 and message_id = $2 and attempts = $3 and status in ('Pending', 'RetryScheduled', 'Delivering')
      returning tenant_id, subscription_id, event_id, position)
    select claimed.subscription_id, claimed.position, subscription.status as subscription_status,
      subscription.endpoint_url, subscription.content_type, subscription.credential_id,
      subscription.failing_since is not null as failing, event.envelope
    from claimed join webhook_subscriptions subscription using (tenant_id, subscription_id)
      left join event_log event using (tenant_id, event_id)`,
};

const recordAttempt = {
  name: "webhook_attempt_record",
  text: `
    with ${relaxed}, moved as (
      update webhook_messages set status = $4, attempts = attempts + 1, next_attempt_at = $5,
        finished_at = case when $5::timestamptz is null then now() end from relaxed
      where tenant_id = $1 and message_id = $2 and attempts = $3 and status = 'Delivering' returning message_id)
    insert into webhook_attempts (tenant_id, attempt_id, message_id, number, outcome, failure, detail, status_code,
      response_body, started_at, duration_ms)
    select $1, $6, message_id, $3 + 1, $7, $8, $9, $10::int, $11, $12::timestamptz, $13::int from moved returning true`,
};

/** Makes one attempt to deliver one message: claim, send without a transaction, record. At least once, same webhook-id. */
export class WebhookAttemptRunner {
  constructor(private readonly settings: AttemptRunnerSettings) {}

  async run(payload: WebhookAttemptPayload, signal: AbortSignal): Promise<void> {
    const tenant = tenantWithId(payload.tenantId);
    const claim = await this.#claim(tenant, payload);
    if (!claim) return;
    const startedAt = new Date();
    const verdict = await this.#send(claim, startedAt, signal);
    const { database } = this.settings;
    const cause = { trace: continueTrace(claim.envelope.traceparent), causationId: claim.envelope.id };
    await database.transaction(tenant, cause, (transaction) =>
      this.#record(transaction, { payload, claim, verdict, startedAt }),
    );
  }

  /** Undefined: another job made this attempt already, or there is nothing to send any more. */
  async #claim(tenant: Tenant, { messageId, attempt }: WebhookAttemptPayload): Promise<Claim | undefined> {
    const cause = { trace: continueTrace(undefined) };
    return this.settings.database.transaction(tenant, cause, async (transaction) => {
      const key = [tenant.uuid, decodeId("msg", messageId)];
      const [row] = await transaction.execute<ClaimRow>(claimMessage, [...key, attempt - 1]);
      if (!row) return undefined;
      if (row.subscription_status !== "Active" || row.envelope === null) {
        await transaction.execute(
          "update webhook_messages set status = 'Skipped', finished_at = now() where tenant_id = $1 and message_id = $2",
          key,
        );
        return undefined;
      }
      return {
        subscriptionId: encodeId("whs", row.subscription_id),
        endpointUrl: row.endpoint_url,
        contentType: row.content_type,
        position: row.position,
        envelope: row.envelope,
        failing: row.failing,
        secrets: await this.#secrets(transaction, encodeId("crd", row.credential_id)),
      };
    });
  }

  async #secrets(transaction: Transaction, credentialId: string): Promise<string[]> {
    try {
      return await this.settings.credentials.signingSecrets(transaction, credentialId);
    } catch (error) {
      if (error instanceof DomainError) return [];
      throw error;
    }
  }

  async #send(claim: Claim, now: Date, signal: AbortSignal): Promise<DeliveryVerdict> {
    if (claim.secrets.length === 0)
      return failedVerdict("SigningSecretUnavailable", "The signing secret cannot be read; nothing was sent.");
    try {
      const response = await this.settings.egress.request(claim.endpointUrl, {
        method: "POST",
        ...webhookRequest(claim.envelope, { ...claim, now }),
        timeoutMs: totalTimeoutMs,
        connectTimeoutMs,
        maxResponseBytes,
        signal,
      });
      return responseVerdict(response, now.getTime());
    } catch (error) {
      const verdict = errorVerdict(error);
      if (!verdict) throw error;
      return verdict;
    }
  }

  async #record(
    transaction: Transaction,
    made: { payload: WebhookAttemptPayload; claim: Claim; verdict: DeliveryVerdict; startedAt: Date },
  ): Promise<void> {
    const { payload, claim, verdict, startedAt } = made;
    const { retryDelaysMs, messages } = this.settings;
    const delay = verdict.kind === "failed" ? retryDelayMs(retryDelaysMs, payload.attempt, verdict.retry) : undefined;
    const nextAttemptAt = delay === undefined ? null : new Date(Date.now() + delay);
    const status = nextState(verdict, nextAttemptAt);
    const won = await transaction.execute(recordAttempt, [
      transaction.tenant.uuid,
      decodeId("msg", payload.messageId),
      payload.attempt - 1,
      status,
      nextAttemptAt,
      decodeId("att", newId("att")),
      verdict.kind === "delivered" ? "Succeeded" : "Failed",
      verdict.failure,
      verdict.detail,
      verdict.statusCode,
      verdict.responseBody,
      startedAt,
      Date.now() - startedAt.getTime(),
    ]);
    if (won.length === 0) return;
    if (nextAttemptAt)
      await messages.scheduleAttempt(transaction, { ...payload, attempt: payload.attempt + 1 }, nextAttemptAt);
    await this.#follow(transaction, claim, { ...verdict, messageId: payload.messageId, status });
  }

  /** What an outcome means beyond its message: the health of the subscription, and events for those who watch it. */
  async #follow(
    transaction: Transaction,
    { subscriptionId, envelope, failing }: Claim,
    { kind, disable, messageId, status, failure, statusCode }: DeliveryVerdict & { messageId: string; status: string },
  ): Promise<void> {
    const { subscriptions } = this.settings;
    if (status === "Exhausted" || status === "Aborted")
      transaction.record({
        type: status === "Exhausted" ? "WebhookDeliveryExhausted" : "WebhookDeliveryAborted",
        subject: `webhook-subscriptions/${subscriptionId}`,
        data: { subscriptionId, messageId, eventId: envelope.id, eventType: envelope.type, failure, statusCode },
      });
    if (disable) await subscriptions.disable(transaction, subscriptionId, disable);
    if (kind !== "delivered") await subscriptions.recordFailure(transaction, subscriptionId, status === "Exhausted");
    else if (failing) await subscriptions.recordSuccess(transaction, subscriptionId);
  }
}

function nextState({ kind }: DeliveryVerdict, nextAttemptAt: Date | null): WebhookMessageState {
  if (kind === "delivered") return "Delivered";
  if (kind === "aborted") return "Aborted";
  return nextAttemptAt ? "RetryScheduled" : "Exhausted";
}
