// Written by `npm run merge-migrations`.

export const notifications = [
  `create table spine.notifications (
    tenant_id uuid not null,
    notification_id uuid not null,
    message_id uuid not null,
    channel text not null,
    recipient_user_id uuid,
    recipient_email text,
    recipient_email_key text,
    recipient_phone text,
    subscription_id uuid,
    status text not null,
    failure_reason text,
    due_at timestamptz,
    handle text,
    created_at timestamptz not null,
    sent_at timestamptz,
    delivered_at timestamptz,
    read_at timestamptz,
    lane text not null default 'Common',
    primary key (tenant_id, notification_id)
  )`,
  `create index notifications_created on spine.notifications (created_at)`,
  `create index notifications_email on spine.notifications (tenant_id, recipient_email_key)
    where recipient_email_key is not null`,
  `create index notifications_handle on spine.notifications (tenant_id, handle) where handle is not null`,
  `create index notifications_unread on spine.notifications (tenant_id, recipient_user_id, notification_id)
    where channel = 'InApp' and status in ('Sent', 'Delivered')`,
  `create index notifications_recipient on spine.notifications (tenant_id, recipient_user_id, notification_id)
    where recipient_user_id is not null`,
  `create index notifications_channel_status on spine.notifications (tenant_id, channel, status, notification_id)`,
  `create index notifications_channel on spine.notifications (tenant_id, channel, notification_id)`,
  `create index notifications_status on spine.notifications (tenant_id, status, notification_id)`,
  `create index notifications_due on spine.notifications (due_at, notification_id) where status = 'Queued'`,
  `create index notifications_all_unread on spine.notifications (tenant_id, notification_id)
    where channel = 'InApp' and status in ('Sent', 'Delivered')`,
  `alter table spine.notifications enable row level security, force row level security`,
  `create policy tenant on spine.notifications
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on spine.notifications for select to "platform_worker" using (status = 'Queued')`,
  `create policy expired on spine.notifications to "platform_worker"
    using (created_at < (now() - '180 days'::interval))`,

  `create table spine.notification_messages (
    tenant_id uuid not null,
    message_id uuid not null,
    channel text not null,
    category text not null,
    priority text not null,
    title text,
    body text,
    template_key text,
    data json,
    locale text,
    audience text not null,
    role_code text,
    recipient_count int not null,
    broadcast_after uuid,
    requested_by text not null,
    correlation_id text not null,
    traceparent text not null,
    created_at timestamptz not null,
    digest_key text,
    digest_seconds int,
    primary key (tenant_id, message_id)
  )`,
  `create index notification_messages_created on spine.notification_messages (created_at)`,
  `create index notification_messages_broadcasts on spine.notification_messages (tenant_id, created_at)
    where audience <> 'Recipients'`,
  `create index notification_messages_continued on spine.notification_messages (message_id)
    where broadcast_after is not null`,
  `alter table spine.notification_messages enable row level security, force row level security`,
  `create policy tenant on spine.notification_messages
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on spine.notification_messages for select to "platform_worker"
    using (broadcast_after is not null)`,
  `create policy expired on spine.notification_messages to "platform_worker"
    using (created_at < (now() - '181 days'::interval))`,

  `create table spine.notification_preferences (
    tenant_id uuid not null,
    user_id uuid not null,
    channel text not null,
    category text not null,
    enabled boolean not null,
    updated_at timestamptz not null,
    primary key (tenant_id, user_id, channel, category)
  )`,
  `alter table spine.notification_preferences enable row level security, force row level security`,
  `create policy tenant on spine.notification_preferences
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table spine.notification_digests (
    tenant_id uuid not null,
    digest_id uuid not null,
    recipient_key text not null,
    digest_key text not null,
    closes_at timestamptz not null,
    is_closed boolean not null default false,
    members int not null,
    primary key (tenant_id, digest_id)
  )`,
  `create index notification_digests_closes on spine.notification_digests (closes_at)`,
  `create unique index notification_digests_open on spine.notification_digests (tenant_id, recipient_key, digest_key)
    where not is_closed`,
  `alter table spine.notification_digests enable row level security, force row level security`,
  `create policy tenant on spine.notification_digests
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy expired on spine.notification_digests to "platform_worker"
    using (closes_at < (now() - '7 days'::interval))`,

  `create table spine.notification_digest_members (
    tenant_id uuid not null,
    notification_id uuid not null,
    digest_id uuid not null,
    joined_at timestamptz not null,
    primary key (tenant_id, notification_id)
  )`,
  `create index notification_digest_members_joined on spine.notification_digest_members (joined_at)`,
  `create index notification_digest_members_of on spine.notification_digest_members (tenant_id, digest_id, notification_id)`,
  `alter table spine.notification_digest_members enable row level security, force row level security`,
  `create policy tenant on spine.notification_digest_members
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy expired on spine.notification_digest_members to "platform_worker"
    using (joined_at < (now() - '8 days'::interval))`,

  `create table spine.notification_slots (
    tenant_id uuid not null,
    notification_id uuid not null,
    limit_key text constraint notification_slots_recipient_key_not_null not null,
    due_at timestamptz not null
  )`,
  `create index notification_slots_due on spine.notification_slots (due_at)`,
  `create index notification_slots_limit on spine.notification_slots (tenant_id, limit_key, due_at)`,
  `alter table spine.notification_slots add constraint notification_slots_pkey primary key (tenant_id, notification_id, limit_key)`,
  `alter table spine.notification_slots enable row level security, force row level security`,
  `create policy tenant on spine.notification_slots
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy expired on spine.notification_slots to "platform_worker" using (due_at < (now() - '2 days'::interval))`,

  `create table spine.unsubscribed_addresses (
    tenant_id uuid not null,
    address_digest text not null,
    category text not null,
    created_at timestamptz not null,
    primary key (tenant_id, address_digest, category)
  )`,
  `alter table spine.unsubscribed_addresses enable row level security, force row level security`,
  `create policy tenant on spine.unsubscribed_addresses
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table spine.notification_erasures (
    tenant_id uuid not null,
    user_id uuid not null,
    email_key text not null,
    requested_at timestamptz not null,
    primary key (tenant_id, user_id)
  )`,
  `create index notification_erasures_waiting on spine.notification_erasures (user_id)`,
  `create index notification_erasures_address on spine.notification_erasures (tenant_id, email_key)`,
  `alter table spine.notification_erasures enable row level security, force row level security`,
  `create policy tenant on spine.notification_erasures
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on spine.notification_erasures for select to "platform_worker" using (true)`,

  `create table spine.notification_templates (
    tenant_id uuid not null,
    key text not null,
    variables jsonb not null,
    link_variable text,
    texts jsonb not null,
    version int not null,
    updated_at timestamptz not null,
    updated_by text not null,
    primary key (tenant_id, key)
  )`,
  `alter table spine.notification_templates enable row level security, force row level security`,
  `create policy tenant on spine.notification_templates
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
];
