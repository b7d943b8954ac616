import { namedStatement } from "@factory/runtime/db/named-parameters";
import { isQueued } from "../../notifications/record/plan-by-keys.js";

// tables: notification_digests, notification_digest_members, notifications, notification_messages

/** $1: tenant, $2: notification. */
export const digestOfMember = {
  name: "notification_digest_of_member",
  text: `select digest.digest_id, extract(epoch from digest.closes_at - now())::float8 * 1000 as closes_in_ms
    from notification_digest_members member join notification_digests digest using (tenant_id, digest_id)
    where member.tenant_id = $1 and member.notification_id = $2`,
};

/** $1: tenant, $2: recipient, $3: key. Closes the digest whose window is over, so that another one can be opened. */
export const closeOver = {
  name: "notification_digest_close_over",
  text: `update notification_digests set is_closed = true
    where tenant_id = $1 and recipient_key = $2 and digest_key = $3 and not is_closed and closes_at <= now()`,
};

/** Opens a digest, or joins the open one. */
export const joinOpen = namedStatement(
  "notification_digest_join",
  `insert into notification_digests as digest
      (tenant_id, digest_id, recipient_key, digest_key, closes_at, is_closed, members)
    values ($tenant, $digest, $recipient, $key, now() + $seconds * interval '1 second', false, 1)
    on conflict (tenant_id, recipient_key, digest_key) where not is_closed
      do update set members = digest.members + 1, is_closed = digest.members + 1 >= $maxMembers
    returning digest_id, extract(epoch from closes_at - now())::float8 * 1000 as closes_in_ms`,
);

/** $1: tenant, $2: notification, $3: digest. */
export const addMember = {
  name: "notification_digest_member_add",
  text: `insert into notification_digest_members (tenant_id, notification_id, digest_id, joined_at)
    values ($1, $2, $3, now())`,
};

/** $1: tenant, $2: digest. */
export const closeDigest = {
  name: "notification_digest_close",
  text: `update notification_digests set is_closed = true
    where tenant_id = $1 and digest_id = $2 and not is_closed`,
};

/** $1: tenant, $2: digest. The oldest notification that waits for the digest to be sent, without its text. */
export const firstQueued = {
  name: "notification_digest_first_queued",
  text: `select notification.notification_id, extract(epoch from notification.due_at - now())::float8 * 1000 as due_in_ms
    from notification_digest_members member join notifications notification using (tenant_id, notification_id)
    where member.tenant_id = $1 and member.digest_id = $2 and notification.${isQueued}
    order by member.notification_id limit 1`,
};

/**
 * The beginnings of the oldest notifications that wait for the digest, and how many wait. `$items` is the number of
 * texts, and `$characters` a text's length.
 */
export const queuedTexts = namedStatement(
  "notification_digest_texts_queued",
  `with queued as materialized (
      select notification.notification_id, notification.message_id
      from notification_digest_members member join notifications notification using (tenant_id, notification_id)
      where member.tenant_id = $tenant and member.digest_id = $digest and notification.${isQueued}),
    listed as materialized (select * from queued order by notification_id limit $items)
    select (select count(*)::int from queued) as count, left(message.title, $characters::int) as title,
      left(message.body, $characters::int) as body
    from listed join notification_messages message on message.tenant_id = $tenant and message.message_id = listed.message_id
    order by listed.notification_id`,
);

/** $1: tenant, $2: notification. The other notifications in its digest. */
export const otherMembers = {
  name: "notification_digest_others",
  text: `select other.notification_id
    from notification_digest_members member join notification_digest_members other using (tenant_id, digest_id)
    where member.tenant_id = $1 and member.notification_id = $2 and other.notification_id <> $2
    order by other.notification_id`,
};

/**
 * $1: tenant, $2: notification. The others in its digest, where the notification was the one that stood for them: the
 * window is over, and no older one waits.
 */
export const membersBehind = {
  name: "notification_digest_members_behind",
  text: `select other.notification_id
    from notification_digest_members member
    join notification_digests digest using (tenant_id, digest_id)
    join notification_digest_members other using (tenant_id, digest_id)
    where member.tenant_id = $1 and member.notification_id = $2 and other.notification_id <> $2
      and digest.closes_at <= now() and not exists (
        select from notification_digest_members older join notifications waiting using (tenant_id, notification_id)
        where older.tenant_id = $1 and older.digest_id = member.digest_id and older.notification_id < $2
          and waiting.${isQueued})
    order by other.notification_id`,
};
