// tables: webhook_messages

/** $1: tenant, $2: message, $3: subscription, $4: event, $5: event type, $6: origin, $7: envelope. */
export const insertExample = {
  name: "webhook_example_insert",
  text: `insert into webhook_messages (tenant_id, message_id, subscription_id, event_id, event_type, position, origin,
      status, attempts, next_attempt_at, envelope)
    values ($1, $2, $3, $4, $5, 0, $6, 'Pending', 0, now(), $7)`,
};
