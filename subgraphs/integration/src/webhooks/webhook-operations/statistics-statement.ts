// tables: webhook_subscriptions, webhook_attempts, webhook_messages

import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { isWaiting } from "../webhook-messages/webhook-message.states.js";

/** At most this number of attempts, the newest ones, and this number of waiting messages are read. */
export const countedRows = 20_000;

/**
 * $2: the subscription's uuid, $3: hours. One row; none without the subscription. The indexes on attempts and messages
 * by subscription bound what is read.
 */
export const subscriptionStatistics = tenantStatement(
  "webhook_statistics",
  `with subscription as materialized (
     select tenant_id, subscription_id, failing_since from webhook_subscriptions
     where tenant_id = scope.tenant and subscription_id = $2 and status <> 'Deleted'),
   newest as materialized (
     select attempt.outcome, attempt.failure, attempt.status_code, attempt.duration_ms, attempt.started_at
     from subscription join webhook_attempts attempt using (tenant_id, subscription_id)
     where attempt.started_at > now() - $3 * interval '1 hour'
     order by attempt.started_at desc limit ${countedRows + 1}),
   kinds as (
     select failure, status_code, count(*)::int as count from newest where outcome = 'Failed'
     group by failure, status_code order by count desc limit 20),
   waiting as materialized (
     select message.created_at from subscription join webhook_messages message using (tenant_id, subscription_id)
     where ${isWaiting} limit ${countedRows + 1})
   select now() - $3 * interval '1 hour' as since, now() as until, subscription.failing_since,
     (select count(*)::int from newest) as attempts,
     (select count(*)::int from newest where outcome = 'Failed') as failed,
     (select min(started_at) from newest) as first_at,
     (select max(started_at) from newest where outcome = 'Succeeded') as last_success_at,
     (select percentile_cont(array[0.5, 0.95]) within group (order by duration_ms) from newest) as percentiles,
     (select max(duration_ms) from newest) as slowest_ms,
     (select jsonb_agg(jsonb_build_object('failure', failure, 'statusCode', status_code, 'count', count)
        order by count desc, failure, status_code) from kinds) as failures,
     (select count(*)::int from waiting) as waiting,
     (select min(created_at) from waiting) as oldest_waiting_at
   from subscription`,
);
