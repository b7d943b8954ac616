// tables: webhook_messages, webhook_subscriptions, event_log

import { namedStatement } from "@factory/runtime/db/named-parameters";
import {
  endedMessageStates,
  isUnsent,
  isWaiting,
  maxMessageAttempts,
} from "../webhook-messages/webhook-message.states.js";

/**
 * PostgreSQL may keep a plan that it made while the tables were empty. So the statements in this file read indexes in
 * their order, and never sort all that is left to find the next page.
 */
export const readInOrder = {
  name: "webhook_replay_settings",
  text: `select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('enable_sort', 'off', true)`,
};

/** $1: tenant, $2: subscription. The lock keeps the state until the transaction ends. */
export const receiverOfReplay = {
  name: "webhook_replay_receiver",
  text: `select status, endpoint_url, event_type, project_id, ordering, filter,
      least(rate_per_second, allowed_per_minute / 60.0)::float8 as per_second
    from webhook_subscriptions where tenant_id = $1 and subscription_id = $2 for share`,
};

/** How many messages wait, and when the first one is due. */
export const waitingOfReceiver = namedStatement(
  "webhook_replay_waiting",
  `select count(*)::int as waiting, extract(epoch from min(next_attempt_at) - now())::float8 as due_in_seconds
    from (select next_attempt_at from webhook_messages
      where tenant_id = $tenant and subscription_id = $subscription and origin = $origin and ${isWaiting}
      order by next_attempt_at limit $limit) first`,
);

/**
 * Counts what comes after the place `$at` and `$position`. The types may be null for all. The limit bounds what is read,
 * whether it is selected or not.
 */
export const countSelected = namedStatement(
  "webhook_replay_count",
  `select count(*)::int as read, count(*) filter (where selected)::int as selected from (
    select position > 0 and status = any ($states) and ($types::text[] is null or event_type = any ($types)) as selected
    from webhook_messages
    where tenant_id = $tenant and subscription_id = $subscription and created_at >= $at::timestamptz
      and created_at < $until and (created_at, position) > ($at::timestamptz, $position::bigint)
    order by created_at limit $limit) message`,
);

/**
 * The messages after a place, as `countSelected` counts them. Examples, whose position is 0, are not selected.
 */
export const nextMessages = namedStatement(
  "webhook_replay_messages",
  `select message_id, event_id, created_at::text as at, position::text as position, message.position > 0
      and status = any ($states) and ($types::text[] is null or event_type = any ($types)) as selected
    from webhook_messages message
    where tenant_id = $tenant and subscription_id = $subscription and created_at >= $at::timestamptz
      and created_at < $until and (created_at, position) > ($at::timestamptz, $position::bigint)
    order by message.created_at, message.position limit $limit`,
);

/** The messages that a replay has made due and that the subscription's pause has skipped. `$replay`: its first run. */
export const nextSkipped = namedStatement(
  "webhook_replay_skipped",
  `select message_id, event_id, created_at::text as at, position::text as position, status = 'Skipped'
      and replay_id is not distinct from $replay and ($types::text[] is null or event_type = any ($types)) as selected
    from webhook_messages message
    where tenant_id = $tenant and subscription_id = $subscription and ${isUnsent} and created_at >= $at::timestamptz
      and (created_at, position) > ($at::timestamptz, $position::bigint)
    order by message.created_at, message.position limit $limit`,
);

/**
 * The events after the sequence `$position`. `$ownType` is the subscription's event type, and `$ownId` its ID as events
 * name it. As `selectsEvent` decides, a subscription gets no event about itself, and no notification that names another
 * one.
 */
export const nextEvents = namedStatement(
  "webhook_replay_events",
  `select message.message_id, event.event_id, event.recorded_at::text as at, event.sequence::text as position,
      event.recorded_at >= $since and event.recorded_at < $until and case
        when message.message_id is not null
          then message.status = any ($states) and ($types::text[] is null or message.event_type = any ($types))
        else event.type = $ownType and ($types::text[] is null or event.type = any ($types))
          and not $ownId = any (string_to_array(event.envelope ->> 'subject', '/'))
          and (event.type <> 'NotificationRequested'
            or coalesce(event.envelope #>> '{data,subscriptionId}', $ownId) = $ownId)
        end as selected
    from event_log event left join lateral (
      select message_id, status, event_type from webhook_messages
      where tenant_id = event.tenant_id and event_id = event.event_id and subscription_id = $subscription limit 1)
      message on true
    where event.tenant_id = $tenant and event.sequence > $position order by event.sequence limit $limit`,
);

/** $1: tenant, $2: events, $3: subscription. */
export const envelopesOf = {
  name: "webhook_replay_envelopes",
  text: `select wanted.event_id, coalesce(message.envelope, event.envelope) as envelope
    from unnest($2::uuid[]) as wanted(event_id)
    left join event_log event on event.tenant_id = $1 and event.event_id = wanted.event_id
    left join webhook_messages message
      on message.tenant_id = $1 and message.event_id = wanted.event_id and message.subscription_id = $3`,
};

/** A replayed message's partition key: the replay's id, followed by the event's key. */
const replayKey = (envelope: string) =>
  `'replay ' || $replay::uuid || ' ' || coalesce(${envelope} ->> 'partitionkey', '')`;

/**
 * Makes messages due that have ended and whose event exists. `$replay` is the replay's first run, and `$fifo` tells
 * whether the order is kept.
 */
export const reopenMessages = namedStatement(
  "webhook_replay_reopen",
  `update webhook_messages message
    set status = 'Pending', origin = $origin, finished_at = null, attempts_before = attempts, replay_id = $replay::uuid,
      next_attempt_at = case when not $fifo then now() end,
      partition_key = case when $fifo then ${replayKey(
        "coalesce(message.envelope, (select event.envelope from event_log event where event.tenant_id = message.tenant_id and event.event_id = message.event_id))",
      )} end
    where tenant_id = $tenant and message_id = any ($messages::uuid[])
      and status in (${endedMessageStates.map((state) => `'${state}'`).join(", ")}) and attempts < ${maxMessageAttempts}
      and (envelope is not null or exists (
        select from event_log event where event.tenant_id = message.tenant_id and event.event_id = message.event_id))
    returning partition_key`,
);

/** Creates messages for events. `$replay` and `$fifo`: as above. */
export const addMessages = namedStatement(
  "webhook_replay_add",
  `insert into webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position, origin,
      replay_id, status, attempts, next_attempt_at, partition_key)
    select $tenant, wanted.message_id, $subscription, event.event_id, event.type, event.sequence, $origin, $replay::uuid,
      'Pending', 0, case when not $fifo then now() end, case when $fifo then ${replayKey("event.envelope")} end
    from unnest($messages::uuid[], $events::uuid[]) as wanted(message_id, event_id)
    join event_log event on event.tenant_id = $tenant and event.event_id = wanted.event_id
    on conflict (tenant_id, event_id, subscription_id) do nothing
    returning partition_key`,
);
