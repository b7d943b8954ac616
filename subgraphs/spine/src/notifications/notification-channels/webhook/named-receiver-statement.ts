// tables: notifications

/** $1: tenant, $2: notification, $3: webhook subscription. Locks the notification if that webhook is its recipient. */
export const lockNamedReceiver = {
  name: "notification_lock_named_receiver",
  text: `select true as is_named from notifications
    where tenant_id = $1 and notification_id = $2 and channel = 'Webhook' and subscription_id = $3 for update`,
};
