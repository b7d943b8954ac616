import { isQueued } from "../record/plan-by-keys.js";

// tables: notifications, notification_messages

/** $1: tenant, $2: notification. */
export const lockQueued = {
  name: "notification_lock_queued",
  text: `select true as queued from notifications
    where tenant_id = $1 and notification_id = $2 and ${isQueued} for update`,
};

/** $1: tenant, $2: notification. Another attempt may have handed it over. */
export const lockUnhanded = {
  name: "notification_lock_unhanded",
  text: `select true as queued from notifications
    where tenant_id = $1 and notification_id = $2 and ${isQueued} and handle is null for update`,
};

/** $1: tenant, $2: notification, $3: lane. */
export const changeLane = {
  name: "notification_change_lane",
  text: `update notifications set lane = $3, due_at = now()
    where tenant_id = $1 and notification_id = $2 and lane <> $3 returning notification_id`,
};

/** $1: tenant, $2: notification, $3: time, $4: handle. */
export const wait = {
  name: "notification_wait",
  text: `update notifications set due_at = $3, handle = coalesce($4, handle)
    where tenant_id = $1 and notification_id = $2`,
};

/** $1: tenant, $2: notification, $3: time. */
export const release = {
  name: "notification_release",
  text: `update notifications set handle = null, due_at = $3, lane = 'Common'
    where tenant_id = $1 and notification_id = $2 and ${isQueued} and handle is not null
    returning notification_id`,
};

/** $1: tenant, $2: notification, $3: state, $4: reason, $5: the states in which it is taken. */
export const settle = {
  name: "notification_settle",
  text: `with earlier as materialized (
      select notification_id, message_id, status from notifications
      where tenant_id = $1 and notification_id = $2 and status || '' = any($5) for update)
    update notifications notification set status = $3, failure_reason = $4, due_at = null,
      sent_at = case when $3 = 'Failed' then notification.sent_at else coalesce(notification.sent_at, now()) end,
      delivered_at = case when $3 = 'Delivered' then now() end
    from earlier, notification_messages message
    where notification.tenant_id = $1 and notification.notification_id = earlier.notification_id
      and message.tenant_id = $1 and message.message_id = earlier.message_id
    returning notification.message_id, notification.channel, message.category, notification.recipient_user_id,
      earlier.status as before, now() as settled_at`,
};

/** $1: tenant, $2: handle. */
export const byHandle = {
  name: "notification_of_handle",
  text: "select notification_id from notifications where tenant_id = $1 and handle = $2 limit 1",
};
