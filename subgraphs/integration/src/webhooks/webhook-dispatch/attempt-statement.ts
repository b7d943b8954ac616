// tables: webhook_messages, webhook_attempts, webhook_subscriptions

import { namedStatement } from "@factory/runtime/db/named-parameters";
import { planStatement, plansByKeys } from "@factory/runtime/db/plan-settings";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { isWaiting } from "../webhook-messages/webhook-message.states.js";
import { isHeld, relaxed } from "./claim-statement.js";
import type { MadeAttempt } from "./make-attempt.js";

export const planAttemptsByKeys = planStatement("webhook_attempt_plans", plansByKeys);

/**
 * Stores the results whose claim is still the newest, and returns their message ids. The ids are named twice, because
 * the join alone may read all the tenant's messages first.
 */
export const recordAttempts = namedStatement(
  "webhook_attempts_record",
  `
    with ${relaxed},
    made as materialized (
      select * from unnest($messages::uuid[], $claims::int[], $states::text[], $delays::float8[], $ids::uuid[],
          $outcomes::text[], $failures::text[], $details::text[], $statusCodes::int[], $responseBodies::text[],
          $starts::timestamptz[], $durations::int[], $urls::text[], $requestHeaders::jsonb[], $responseHeaders::jsonb[])
        as made(message_id, claim, status, delay_ms, attempt_id, outcome, failure, detail, status_code, response_body,
          started_at, duration_ms, request_url, request_headers, response_headers)),
    moved as (
      update webhook_messages message
      set status = made.status, attempts = attempts + 1, next_attempt_at = now() + delay_ms * interval '1 millisecond',
        finished_at = case when delay_ms is null then now() end
      from made, relaxed
      where message.tenant_id = $tenant and message.message_id = any ($messages::uuid[])
        and message.message_id = made.message_id
        and message.claims = made.claim
        and ${isHeld}
      returning message.message_id, message.subscription_id, message.attempts)
    insert into webhook_attempts (tenant_id, attempt_id, message_id, subscription_id, number, outcome, failure, detail,
      status_code, response_body, started_at, duration_ms, request_url, request_headers, response_headers)
    select $tenant, attempt_id, moved.message_id, moved.subscription_id, moved.attempts, outcome, failure, detail, status_code,
      response_body, started_at, duration_ms, request_url, request_headers, response_headers
    from moved join made using (message_id) returning message_id`,
);

export function recordValues(tenant: string, attempts: readonly MadeAttempt[]): unknown[] {
  const column = (value: (attempt: MadeAttempt) => string | number | null) => attempts.map(value);
  return recordAttempts.valuesOf({
    tenant,
    messages: column(({ message }) => message.messageId),
    claims: column(({ message }) => message.claim),
    states: column(({ status }) => status),
    delays: column(({ delayMs }) => delayMs),
    ids: column(() => decodeId("att", newId("att")) ?? ""),
    outcomes: column(({ verdict }) => (verdict.kind === "delivered" ? "Succeeded" : "Failed")),
    failures: column(({ verdict }) => verdict.failure),
    details: column(({ verdict }) => verdict.detail),
    statusCodes: column(({ verdict }) => verdict.statusCode),
    responseBodies: column(({ verdict }) => verdict.responseBody),
    starts: column(({ startedAt }) => startedAt.toISOString()),
    durations: column(({ durationMs }) => durationMs),
    urls: column(({ exchange }) => exchange.requestUrl),
    requestHeaders: column(({ exchange }) => exchange.requestHeaders && JSON.stringify(exchange.requestHeaders)),
    responseHeaders: column(({ exchange }) => exchange.responseHeaders && JSON.stringify(exchange.responseHeaders)),
  });
}

/**
 * Skips messages for a subscription that is not Active: the claimed ones and up to 1,000 that wait. The statement
 * checks the subscription's state again, because it may have changed.
 */
export const skipMessages = namedStatement(
  "webhook_messages_skip",
  `
  update webhook_messages set status = 'Skipped', next_attempt_at = null, finished_at = now()
  where tenant_id = $tenant and ${isWaiting} and not exists (
      select from webhook_subscriptions
      where tenant_id = $tenant and subscription_id = $subscription and status = 'Active')
    and message_id = any ($claimed::uuid[] || array(
      select message_id from webhook_messages
      where tenant_id = $tenant and origin = $origin and subscription_id = $subscription
        and status in ('Pending', 'RetryScheduled')
      order by next_attempt_at limit 1000 for update skip locked))
  returning partition_key`,
);

/** Skips a claimed message whose event no longer exists. */
export const skipWithoutEvent = `
  update webhook_messages message set status = 'Skipped', next_attempt_at = null, finished_at = now()
  where tenant_id = $1 and message_id = $2 and claims = $3 and ${isHeld}`;
