// tables: webhook_messages, webhook_subscriptions, event_log

/**
 * $1: tenant, $2: message. The subscription's state stays until the transaction ends. `former_type`: the message's type
 * when it is older than the subscription's present type. Examples, whose position is 0, have none.
 */
export const lockMessage = {
  name: "webhook_resend_lock",
  text: `select message.status, message.attempts, message.subscription_id, subscription.status as subscription_status,
      subscription.endpoint_url, case
        when message.position > 0 and message.event_type is distinct from subscription.event_type
        then message.event_type end as former_type,
      message.envelope is not null or exists (
        select from event_log event
        where event.tenant_id = message.tenant_id and event.event_id = message.event_id) as has_event
    from webhook_messages message join webhook_subscriptions subscription using (tenant_id, subscription_id)
    where message.tenant_id = $1 and message.message_id = $2
    for no key update of message for share of subscription`,
};

/**
 * $1: tenant, $2: message, $3: the endpoint's origin. A message that had ended is due by itself, also in a subscription
 * that keeps the order, so that it does not hold up later ones.
 */
export const makeDue = {
  name: "webhook_resend_due",
  text: `update webhook_messages
    set status = case when status = 'RetryScheduled' then status else 'Pending' end, origin = $3,
      partition_key = case when status = 'RetryScheduled' then partition_key end, next_attempt_at = now(), finished_at = null
    where tenant_id = $1 and message_id = $2`,
};
