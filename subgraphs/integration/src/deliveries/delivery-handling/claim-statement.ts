// tables: webhook_deliveries, connections

import { mostCounted } from "@factory/runtime/backlogs/waiting-work";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { isUnhandled } from "../inbound-deliveries/webhook-delivery.states.js";

/** How long a claim lasts by the database's clock. A batch takes a fraction of it. */
const leaseSeconds = 30;

/**
 * Chooses tenants at random, without the busy ones, and claims their due deliveries. Each tenant has a limit on the
 * number of deliveries and on their bytes. A loose index scan finds the tenants with one step for each.
 */
export const claimDeliveries = namedStatement(
  "webhook_deliveries_claim",
  `
    with recursive lane as (
      (select tenant_id, next_attempt_at from webhook_deliveries where ${isUnhandled}
       order by tenant_id, next_attempt_at limit 1)
      union all
      select next.* from lane cross join lateral (
        select tenant_id, next_attempt_at from webhook_deliveries
        where ${isUnhandled} and tenant_id > lane.tenant_id order by tenant_id, next_attempt_at limit 1) next),
    due_tenant as materialized (
      select tenant_id from lane where next_attempt_at <= now() and tenant_id <> all ($busy::uuid[])
      order by random() limit $tenants),
    due as materialized (
      select delivery.* from due_tenant cross join lateral (
        select tenant_id, delivery_id, next_attempt_at, coalesce(octet_length(ciphertext), 0) as bytes
        from webhook_deliveries
        where tenant_id = due_tenant.tenant_id and ${isUnhandled} and next_attempt_at <= now()
        order by next_attempt_at limit $deliveries for update skip locked) delivery),
    fitting as (
      select tenant_id, delivery_id, sum(bytes) over (partition by tenant_id order by next_attempt_at, delivery_id)
        - bytes < $bytes as fits
      from due),
    claimed as (
      update webhook_deliveries delivery
      set status = 'Processing', claims = claims + 1, next_attempt_at = now() + interval '${leaseSeconds} seconds'
      from fitting where fits and delivery.tenant_id = fitting.tenant_id and delivery.delivery_id = fitting.delivery_id
      returning delivery.*)
    select tenant_id, delivery_id, provider_id, provider_key, provider_delivery_id, event_name, normalized_event_type,
      key_id, wrapped_key, ciphertext, subscription_id, connection_id, run_id, attempts, claims, trace_id,
      (select project_id from connections connection where connection.tenant_id = claimed.tenant_id
        and connection.connection_id = claimed.connection_id) as project_id
    from claimed order by tenant_id, delivery_id`,
);

/** Counts all tenants' due deliveries. */
export const dueDeliveries = {
  name: "webhook_deliveries_due",
  text: `
    with recursive lane as (
      (select tenant_id, next_attempt_at from webhook_deliveries where ${isUnhandled}
       order by tenant_id, next_attempt_at limit 1)
      union all
      select next.* from lane cross join lateral (
        select tenant_id, next_attempt_at from webhook_deliveries
        where ${isUnhandled} and tenant_id > lane.tenant_id order by tenant_id, next_attempt_at limit 1) next),
    due as (
      select delivery.next_attempt_at
      from lane cross join lateral (
        select next_attempt_at from webhook_deliveries
        where tenant_id = lane.tenant_id and ${isUnhandled} and next_attempt_at <= now()
        order by next_attempt_at limit ${mostCounted}) delivery
      where lane.next_attempt_at <= now()
      limit ${mostCounted})
    select count(*)::int as waiting, coalesce(extract(epoch from now() - min(next_attempt_at)), 0)::float8 as "oldestSeconds"
    from due`,
};

/** This process's claims end at once, at its planned stop. */
export const giveBackDeliveries = {
  name: "webhook_deliveries_give_back",
  text: `
    update webhook_deliveries delivery
    set status = case when attempts = 0 then 'Accepted' else 'Failed' end, next_attempt_at = now()
    from unnest($1::uuid[], $2::uuid[], $3::int[]) as held(tenant_id, delivery_id, claim)
    where delivery.tenant_id = held.tenant_id and delivery.delivery_id = held.delivery_id
      and delivery.claims = held.claim and delivery.status = 'Processing'`,
};

/**
 * Deliveries that wait and that no process takes: overdue for 60 s, although no other delivery for their tenant is
 * being handled. `delivery` is the table's alias.
 */
const isOverdue = `delivery.${isUnhandled}
    and coalesce(delivery.next_attempt_at, delivery.received_at) < now() - interval '60 seconds'
    and not exists (
      select from webhook_deliveries other where other.tenant_id = delivery.tenant_id
        and other.status = 'Processing' and other.next_attempt_at > now())`;

export const findOverdueDeliveries = `select tenant_id, delivery_id from webhook_deliveries delivery
  where ${isOverdue} limit 1000`;

/** A due time that is long past stays, so that a delivery that is never handled is counted again at the next look. */
export const makeOverdueDeliveryDue = `update webhook_deliveries delivery
  set next_attempt_at = coalesce(next_attempt_at, now()) where tenant_id = $1 and delivery_id = $2 and ${isOverdue}`;
