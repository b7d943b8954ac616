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

/** $1: tenant, $2: recipient, $3: key, $4: digest, $5: seconds, $6: the greatest number of members. Opens or joins one. */
export const joinOpen = {
  name: "notification_digest_join",
  text: `insert into notification_digests as digest
      (tenant_id, digest_id, recipient_key, digest_key, closes_at, is_closed, members)
    values ($1, $4, $2, $3, now() + $5 * interval '1 second', false, 1)
    on conflict (tenant_id, recipient_key, digest_key) where not is_closed
      do update set members = digest.members + 1, is_closed = digest.members + 1 >= $6
    returning digest_id, extract(epoch from closes_at - now())::float8 * 1000 as closes_in_ms`,
};

/** $1: tenant, $2: notification, $3: digest. */
export const addMember = {
  name: "notification_digest_member_add",
  text: `insert into notification_digest_members (tenant_id, notification_id, digest_id, joined_at)
    values ($1, $2, $3, now())`,
};

/** $1: tenant, $2: digest. */
export const closeDigest = {
  name: "notification_digest_close",
  text: "update notification_digests set is_closed = true where tenant_id = $1 and digest_id = $2",
};

/** $1: tenant, $2: digest. The notifications that wait for the digest to be sent, with their texts. */
export const queuedMembers = {
  name: "notification_digest_members_queued",
  text: `select notification.notification_id, message.title, message.body
    from notification_digest_members member
    join notifications notification using (tenant_id, notification_id)
    join notification_messages message on message.tenant_id = $1 and message.message_id = notification.message_id
    where member.tenant_id = $1 and member.digest_id = $2 and notification.status = 'Queued'
    order by member.notification_id`,
};

/** $1: tenant, $2: notification. The other notifications of its digest. */
export const otherMembers = {
  name: "notification_digest_others",
  text: `select other.notification_id
    from notification_digest_members member join notification_digest_members other using (tenant_id, digest_id)
    where member.tenant_id = $1 and member.notification_id = $2 and other.notification_id <> $2
    order by other.notification_id`,
};
