// tables: webhook_messages, webhook_breakers, webhook_paces

const maxMessages = 1000;

/**
 * Messages that are still to be sent but that no dispatcher will take. A due time more than 60 s ago is normal in four
 * cases: the receiver's breaker is open, the subscription has a rate that is used, an earlier message with the same
 * partition key waits too, or the tenant has so many messages that they wait for each other. In the last case another
 * message for the tenant has a claim that has not ended. It excuses no message without a due time, which a dispatcher
 * would never find. `message` is the table's alias.
 */
const isOverdue = `message.status in ('Pending', 'Delivering', 'RetryScheduled')
    and coalesce(message.next_attempt_at, message.created_at) < now() - interval '60 seconds'
    and not exists (
      select from webhook_breakers breaker
      where breaker.tenant_id = message.tenant_id and breaker.origin = message.origin
        and breaker.paused_until > now() - interval '60 seconds')
    and not exists (
      select from webhook_paces pace
      where pace.tenant_id = message.tenant_id and pace.subscription_id = message.subscription_id
        and pace.next_at > now() - interval '60 seconds')
    and (message.partition_key is null or not exists (
      select from webhook_messages earlier
      where earlier.tenant_id = message.tenant_id and earlier.subscription_id = message.subscription_id
        and earlier.partition_key = message.partition_key and earlier.position < message.position
        and earlier.status in ('Pending', 'Delivering', 'RetryScheduled') and earlier.partition_key is not null))
    and (message.next_attempt_at is null or not exists (
      select from webhook_messages other
      where other.tenant_id = message.tenant_id and other.status = 'Delivering' and other.next_attempt_at > now()))`;

export const findOverdueMessages = `select tenant_id, message_id, origin, subscription_id from webhook_messages message
  where ${isOverdue} limit ${maxMessages}`;

/** A due time that is long past stays, so that a message that is never sent is counted again at the next look. */
export const makeOverdueMessageDue = `update webhook_messages message set next_attempt_at = coalesce(next_attempt_at, now())
  where tenant_id = $1 and message_id = $2 and ${isOverdue}`;
