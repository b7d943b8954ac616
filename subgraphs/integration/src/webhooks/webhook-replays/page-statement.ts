// tables: webhook_messages, webhook_subscriptions, event_log

import {
  endedMessageStates,
  isUnsent,
  isWaiting,
  maxMessageAttempts,
} from "../webhook-messages/webhook-message.states.js";

/**
 * PostgreSQL may keep a plan that it made while the tables were empty. So the statements of this file read indexes in their
 * order, and never sort all that is left to find the next page.
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

/** $1: tenant, $2: subscription, $3: origin, $4: limit. How many messages wait, and when the first of them is due. */
export const waitingOfReceiver = {
  name: "webhook_replay_waiting",
  text: `select count(*)::int as waiting, extract(epoch from min(next_attempt_at) - now())::float8 as due_in_seconds
    from (select next_attempt_at from webhook_messages
      where tenant_id = $1 and subscription_id = $2 and origin = $3 and ${isWaiting}
      order by next_attempt_at limit $4) first`,
};

/**
 * $1: tenant, $2: subscription, $3 and $4: time and position of the place before, $5: until, $6: states, $7: types or
 * null, $8: limit. The limit bounds what is read, whether it is selected or not.
 */
export const countSelected = {
  name: "webhook_replay_count",
  text: `select count(*)::int as read, count(*) filter (where selected)::int as selected from (
    select position > 0 and status = any ($6) and ($7::text[] is null or event_type = any ($7)) as selected
    from webhook_messages
    where tenant_id = $1 and subscription_id = $2 and created_at >= $3::timestamptz and created_at < $5
      and (created_at, position) > ($3::timestamptz, $4::bigint)
    order by created_at limit $8) message`,
};

/**
 * $1: tenant, $2: subscription, $3 and $4: time and position of the former place, $5: until, $6: states, $7: types or null,
 * $8: limit. The limit bounds what is read, whether it is selected or not. Examples, whose position is 0, are not selected.
 */
export const nextMessages = {
  name: "webhook_replay_messages",
  text: `select message_id, event_id, created_at::text as at, position::text as position,
      message.position > 0 and status = any ($6) and ($7::text[] is null or event_type = any ($7)) as selected
    from webhook_messages message
    where tenant_id = $1 and subscription_id = $2 and created_at >= $3::timestamptz and created_at < $5
      and (created_at, position) > ($3::timestamptz, $4::bigint)
    order by message.created_at, message.position limit $8`,
};

/**
 * The messages that a replay has made due and that a pause of the subscription has skipped. $1: tenant, $2: subscription,
 * $3 and $4: the former place, $5: first run of the replay, $6: types or null, $7: limit.
 */
export const nextSkipped = {
  name: "webhook_replay_skipped",
  text: `select message_id, event_id, created_at::text as at, position::text as position,
      status = 'Skipped' and replay_id is not distinct from $5 and ($6::text[] is null or event_type = any ($6)) as selected
    from webhook_messages message
    where tenant_id = $1 and subscription_id = $2 and ${isUnsent} and created_at >= $3::timestamptz
      and (created_at, position) > ($3::timestamptz, $4::bigint)
    order by message.created_at, message.position limit $7`,
};

/**
 * $1: tenant, $2: subscription, $3: former sequence, $4: since, $5: until, $6: states, $7: types or null, $8: event type
 * of the subscription, $9: ID of the subscription as events name it, $10: limit. As `selectsEvent` decides, a subscription
 * gets no event about itself, and no notification that names another one.
 */
export const nextEvents = {
  name: "webhook_replay_events",
  text: `select message.message_id, event.event_id, event.recorded_at::text as at, event.sequence::text as position,
      event.recorded_at >= $4 and event.recorded_at < $5 and case
        when message.message_id is not null
          then message.status = any ($6) and ($7::text[] is null or message.event_type = any ($7))
        else event.type = $8 and ($7::text[] is null or event.type = any ($7))
          and not $9 = any (string_to_array(event.envelope ->> 'subject', '/'))
          and (event.type <> 'NotificationRequested' or coalesce(event.envelope #>> '{data,subscriptionId}', $9) = $9)
        end as selected
    from event_log event left join lateral (
      select message_id, status, event_type from webhook_messages
      where tenant_id = event.tenant_id and event_id = event.event_id and subscription_id = $2 limit 1) message on true
    where event.tenant_id = $1 and event.sequence > $3 order by event.sequence limit $10`,
};

/** $1: tenant, $2: events, $3: subscription. */
export const envelopesOf = {
  name: "webhook_replay_envelopes",
  text: `select wanted.event_id, coalesce(message.envelope, event.envelope) as envelope
    from unnest($2::uuid[]) as wanted(event_id)
    left join event_log event on event.tenant_id = $1 and event.event_id = wanted.event_id
    left join webhook_messages message
      on message.tenant_id = $1 and message.event_id = wanted.event_id and message.subscription_id = $3`,
};

/** The partition key of a replayed message: that of its event, for this replay alone. $4: first run of the replay. */
const replayKey = (envelope: string) => `'replay ' || $4::uuid || ' ' || coalesce(${envelope} ->> 'partitionkey', '')`;

/**
 * $1: tenant, $2: messages, $3: origin of the endpoint, $4: first run of the replay, $5: whether the order is kept. Makes
 * messages due that have ended and whose event exists.
 */
export const reopenMessages = {
  name: "webhook_replay_reopen",
  text: `update webhook_messages message
    set status = 'Pending', origin = $3, finished_at = null, attempts_before = attempts, replay_id = $4::uuid,
      next_attempt_at = case when not $5 then now() end,
      partition_key = case when $5 then ${replayKey(
        "coalesce(message.envelope, (select event.envelope from event_log event where event.tenant_id = message.tenant_id and event.event_id = message.event_id))",
      )} end
    where tenant_id = $1 and message_id = any ($2::uuid[])
      and status in (${endedMessageStates.map((state) => `'${state}'`).join(", ")}) and attempts < ${maxMessageAttempts}
      and (envelope is not null or exists (
        select from event_log event where event.tenant_id = message.tenant_id and event.event_id = message.event_id))
    returning partition_key`,
};

/** Creates the messages of events. $1, $3, $4, $5: as above, $2: subscription, $6: new messages, $7: their events. */
export const addMessages = {
  name: "webhook_replay_add",
  text: `insert into webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position, origin,
      replay_id, status, attempts, next_attempt_at, partition_key)
    select $1, wanted.message_id, $2, event.event_id, event.type, event.sequence, $3, $4::uuid, 'Pending', 0,
      case when not $5 then now() end, case when $5 then ${replayKey("event.envelope")} end
    from unnest($6::uuid[], $7::uuid[]) as wanted(message_id, event_id)
    join event_log event on event.tenant_id = $1 and event.event_id = wanted.event_id
    on conflict (tenant_id, event_id, subscription_id) do nothing
    returning partition_key`,
};
