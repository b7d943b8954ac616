// tables: webhook_messages

/**
 * $1: tenant, $2: subscription, $3: event types. Returns one type for which a message waits. Examples, whose position
 * is 0, show nothing. The states are those in the index on waiting messages.
 */
export const typeThatWaits = {
  name: "webhook_subscription_waiting_type",
  text: `select event_type from webhook_messages
    where tenant_id = $1 and subscription_id = $2 and status in ('Pending', 'Delivering', 'RetryScheduled')
      and position > 0 and event_type = any ($3::text[]) limit 1`,
};
