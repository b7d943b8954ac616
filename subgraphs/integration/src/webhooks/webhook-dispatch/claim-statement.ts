// tables: webhook_messages, webhook_breakers, webhook_paces, event_log

import { mostCounted } from "@factory/runtime/backlogs/waiting-work";
import { namedStatement } from "@factory/runtime/db/named-parameters";
import { isWaiting } from "../webhook-messages/webhook-message.states.js";

/** How long a claim lasts by the database's clock. It is longer than an attempt can take, so that no claim is renewed. */
const leaseSeconds = 30;

/** A write that is lost when the database server crashes only sends a message again, so the commit does not wait for the disk. */
export const relaxed = "relaxed as materialized (select set_config('synchronous_commit', 'off', true))";

/**
 * The condition for a message that a process holds. It is an expression, so that no index on waiting messages fits it:
 * PostgreSQL believes that few messages wait, as they did when it made its statistics, and would read a whole backlog
 * where it must find single messages by their ids. `message` is the table's alias.
 */
export const isHeld = "message.status || '' = 'Delivering'";

/** Claims each lane's first due messages, at most as many as the lane has slots. */
export const claimMessages = namedStatement(
  "webhook_messages_claim",
  `
    with ${relaxed},
    due as materialized (
      select message.tenant_id, message.message_id
      from unnest($tenants::uuid[], $origins::text[], $subscriptions::uuid[], $rooms::int[])
        as lane(tenant_id, origin, subscription_id, room)
      cross join lateral (
        select tenant_id, message_id from webhook_messages
        where tenant_id = lane.tenant_id and origin = lane.origin and subscription_id = lane.subscription_id
          and ${isWaiting} and next_attempt_at <= now()
        order by next_attempt_at, position limit lane.room for update skip locked) message),
    claimed as (
      update webhook_messages message
      set status = 'Delivering', claims = claims + 1, next_attempt_at = now() + interval '${leaseSeconds} seconds'
      from due, relaxed where message.tenant_id = due.tenant_id and message.message_id = due.message_id
      returning message.*)
    select claimed.tenant_id, claimed.origin, claimed.subscription_id, claimed.message_id, claimed.position,
      claimed.attempts, claimed.attempts_before, claimed.claims, claimed.partition_key, coalesce(claimed.envelope, event.envelope) as envelope
    from claimed left join event_log event using (tenant_id, event_id) order by claimed.position`,
);

/**
 * Finds the lanes with waiting messages. A loose index scan takes one step for each lane, however many messages it has.
 */
export const waitingLanes = {
  name: "webhook_lanes_waiting",
  text: `
    with recursive lane as (
      (select tenant_id, origin, subscription_id, next_attempt_at from webhook_messages where ${isWaiting}
       order by tenant_id, origin, subscription_id, next_attempt_at limit 1)
      union all
      select next.* from lane cross join lateral (
        select tenant_id, origin, subscription_id, next_attempt_at from webhook_messages
        where ${isWaiting} and (tenant_id, origin, subscription_id) > (lane.tenant_id, lane.origin, lane.subscription_id)
        order by tenant_id, origin, subscription_id, next_attempt_at limit 1) next),
    soon as (
      select lane.*, row_number() over (partition by lane.tenant_id order by random()) as place
      from lane left join webhook_breakers breaker using (tenant_id, origin)
      where next_attempt_at <= now() + $1 * interval '1 millisecond'
        and coalesce(breaker.paused_until, '-infinity') <= now() + $1 * interval '1 millisecond')
    select tenant_id, origin, subscription_id, extract(epoch from next_attempt_at - now())::float8 * 1000 as due_in_ms
    from soon where place <= $2`,
};

/** Counts the due messages whose receivers are not paused. */
export const dueMessages = {
  name: "webhook_messages_due",
  text: `
    with recursive lane as (
      (select tenant_id, origin, subscription_id, next_attempt_at from webhook_messages where ${isWaiting}
       order by tenant_id, origin, subscription_id, next_attempt_at limit 1)
      union all
      select next.* from lane cross join lateral (
        select tenant_id, origin, subscription_id, next_attempt_at from webhook_messages
        where ${isWaiting} and (tenant_id, origin, subscription_id) > (lane.tenant_id, lane.origin, lane.subscription_id)
        order by tenant_id, origin, subscription_id, next_attempt_at limit 1) next),
    due as (
      select message.next_attempt_at
      from lane left join webhook_breakers breaker using (tenant_id, origin)
        left join webhook_paces pace using (tenant_id, subscription_id)
      cross join lateral (
        select next_attempt_at from webhook_messages message
        where message.tenant_id = lane.tenant_id and message.origin = lane.origin
          and message.subscription_id = lane.subscription_id and ${isWaiting} and next_attempt_at <= now()
        order by next_attempt_at limit ${mostCounted}) message
      where lane.next_attempt_at <= now() and coalesce(breaker.paused_until, '-infinity') <= now()
        and coalesce(pace.next_at, '-infinity') <= now()
      limit ${mostCounted})
    select count(*)::int as waiting, coalesce(extract(epoch from now() - min(next_attempt_at)), 0)::float8 as "oldestSeconds"
    from due`,
};

export const giveBack = {
  name: "webhook_messages_give_back",
  text: `
    update webhook_messages message
    set status = case when attempts = attempts_before then 'Pending' else 'RetryScheduled' end, next_attempt_at = now()
    from unnest($1::uuid[], $2::uuid[], $3::int[]) as held(tenant_id, message_id, claim)
    where message.tenant_id = held.tenant_id and message.message_id = held.message_id
      and message.claims = held.claim and ${isHeld}`,
};

export const openBreakers = `select tenant_id, origin, openings, extract(epoch from paused_until - now())::float8 * 1000 as paused_for_ms
  from webhook_breakers where paused_until > now() - interval '10 minutes' order by paused_until desc limit 10000`;

export const keepOpening = namedStatement(
  "webhook_breaker_keep",
  `insert into webhook_breakers (tenant_id, origin, openings, paused_until)
  values ($tenant, $origin, $openings, now() + $pauseMs * interval '1 millisecond')
  on conflict (tenant_id, origin) do update set openings = excluded.openings, paused_until = excluded.paused_until`,
);

export const forgetOpening = "delete from webhook_breakers where tenant_id = $1 and origin = $2";
