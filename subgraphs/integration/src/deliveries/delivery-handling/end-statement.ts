// tables: webhook_deliveries, runs

import { namedStatement } from "@factory/runtime/db/named-parameters";
import { projectOf } from "./delivery-project-statement.js";

/**
 * Stores the outcomes for one tenant's claimed deliveries, and moves each delivery's run with it. Returns the
 * deliveries whose claim still held. An outcome whose claim is lost changes nothing.
 */
export const endDeliveries = namedStatement(
  "webhook_deliveries_end",
  `
    with ended as (
      update webhook_deliveries delivery
      set status = outcome.status, attempts = delivery.attempts + 1, error_code = outcome.code,
        error_detail = outcome.detail,
        next_attempt_at = case when outcome.status = 'Failed' then now() + outcome.delay * interval '1 second' end,
        processed_at = case when outcome.status <> 'Failed' then now() end
      from unnest($ids::uuid[], $claims::int[], $states::text[], $delays::float8[], $codes::text[], $details::text[])
        as outcome(delivery_id, claim, status, delay, code, detail)
      where delivery.tenant_id = $tenant and delivery.delivery_id = outcome.delivery_id
        and delivery.claims = outcome.claim and delivery.status = 'Processing'
      returning delivery.delivery_id, delivery.run_id, delivery.next_attempt_at, delivery.error_code,
        delivery.error_detail, case delivery.status when 'Failed' then 'RetryScheduled' when 'DeadLettered' then 'Failed'
          else 'Completed' end as run_status),
    moved as (
      update runs run
      set status = run_status, attempts = run.attempts + 1, fence = run.fence + 1,
        started_at = coalesce(run.started_at, now()), next_attempt_at = ended.next_attempt_at,
        error_code = ended.error_code, error_detail = ended.error_detail,
        completed_at = case when run_status <> 'RetryScheduled' then now() end,
        steps = run.steps || jsonb_build_array(jsonb_build_object('status', 'Running', 'at', now()),
          jsonb_build_object('status', run_status, 'at', now()))
      from ended where run.tenant_id = $tenant and run.run_id = ended.run_id and run.completed_at is null)
    select delivery_id, run_id, run_status from ended`,
);

/** Makes an ended or failed delivery due again, under a new run. A late process's claim does not hold. */
export const replayDelivery = {
  name: "webhook_delivery_replay",
  text: `
    update webhook_deliveries
    set status = 'Processing', claims = claims + 1, attempts = 0, next_attempt_at = now(), processed_at = null,
      error_code = null, error_detail = null, run_id = $3
    where tenant_id = $1 and delivery_id = $2`,
};

export const lockDelivery = {
  name: "webhook_delivery_lock",
  text: `select run_id, status, ciphertext is not null as has_payload, connection_id,
      ${projectOf("delivery")} as project_id
    from webhook_deliveries delivery where tenant_id = $1 and delivery_id = $2 for update`,
};

/** A delivery from an earlier release gets the type that says what happened. */
export const renameDelivery = {
  name: "webhook_delivery_rename",
  text: "update webhook_deliveries set normalized_event_type = $3 where tenant_id = $1 and delivery_id = $2",
};

/** Within the transaction that has ended the delivery. */
export const markIgnored = {
  name: "webhook_delivery_ignore",
  text: "update webhook_deliveries set status = 'Ignored' where tenant_id = $1 and delivery_id = $2",
};
