import { namedStatement } from "@factory/runtime/db/named-parameters";
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

export const wait = namedStatement(
  "notification_wait",
  `update notifications set due_at = $until, handle = coalesce($handle, handle)
    where tenant_id = $tenant and notification_id = $notification`,
);

/** $1: tenant, $2: notification, $3: time. */
export const release = {
  name: "notification_release",
  text: `update notifications set handle = null, due_at = $3, lane = 'Common'
    where tenant_id = $1 and notification_id = $2 and ${isQueued} and handle is not null
    returning notification_id`,
};

/** `$takenIn`: the states in which the outcome is taken. */
export const settle = namedStatement(
  "notification_settle",
  `with earlier as materialized (
      select notification_id, message_id, status from notifications
      where tenant_id = $tenant and notification_id = $notification and status || '' = any($takenIn) for update)
    update notifications notification set status = $status, failure_reason = $reason, due_at = null,
      sent_at = case when $status = 'Failed' then notification.sent_at else coalesce(notification.sent_at, now()) end,
      delivered_at = case when $status = 'Delivered' then now() end
    from earlier, notification_messages message
    where notification.tenant_id = $tenant and notification.notification_id = earlier.notification_id
      and message.tenant_id = $tenant and message.message_id = earlier.message_id
    returning notification.message_id, notification.channel, message.category, notification.recipient_user_id,
      earlier.status as before, now() as settled_at`,
);

/** $1: tenant, $2: handle. */
export const byHandle = {
  name: "notification_of_handle",
  text: "select notification_id from notifications where tenant_id = $1 and handle = $2 limit 1",
};
