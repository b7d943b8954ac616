// tables: webhook_messages

import { isWaiting } from "../webhook-messages/webhook-message.states.js";
import { relaxed } from "./claim-statement.js";

/**
 * Makes each partition key's first waiting message due, where it waited for an earlier message that has ended. It runs
 * after the commit that ended the earlier message, and after the commit that created new ones. The messages are locked
 * where they are found: with conditions on their state the update would read all that waits. A key counts once, since
 * the lock passes over a message that the same statement has changed already, and would find the next one.
 */
export const releaseKeys = {
  name: "webhook_messages_release_keys",
  text: `
    with ${relaxed},
    head as materialized (
      select head.tenant_id, head.message_id
      from (select distinct * from unnest($1::uuid[], $2::uuid[], $3::text[])
        as named(tenant_id, subscription_id, partition_key)) as wanted
      cross join lateral (
        select tenant_id, message_id, next_attempt_at from webhook_messages
        where tenant_id = wanted.tenant_id and subscription_id = wanted.subscription_id
          and partition_key = wanted.partition_key and ${isWaiting} and partition_key is not null
        order by position limit 1 for no key update) head
      where head.next_attempt_at is null)
    update webhook_messages message set next_attempt_at = now()
    from head, relaxed where message.tenant_id = head.tenant_id and message.message_id = head.message_id`,
};

/**
 * The keys with a first waiting message that is not due at any time. A loose index scan takes one step for each key,
 * however many messages it has.
 */
export const strandedKeys = `
  with recursive key as (
    (select tenant_id, subscription_id, partition_key, origin, next_attempt_at from webhook_messages
     where ${isWaiting} and partition_key is not null
     order by tenant_id, subscription_id, partition_key, position limit 1)
    union all
    select next.* from key cross join lateral (
      select tenant_id, subscription_id, partition_key, origin, next_attempt_at from webhook_messages
      where ${isWaiting} and partition_key is not null
        and (tenant_id, subscription_id, partition_key) > (key.tenant_id, key.subscription_id, key.partition_key)
      order by tenant_id, subscription_id, partition_key, position limit 1) next)
  select tenant_id, subscription_id, partition_key, origin from key where next_attempt_at is null limit 10000`;
