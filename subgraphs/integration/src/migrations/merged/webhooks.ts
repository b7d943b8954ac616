// Written by `npm run merge-migrations`.

export const webhooks = [
  `create table integration.webhook_attempts (
    tenant_id uuid not null,
    attempt_id uuid not null,
    message_id uuid not null,
    number int not null,
    outcome text not null,
    failure text,
    detail text,
    status_code int,
    response_body text,
    started_at timestamptz not null,
    duration_ms int not null,
    subscription_id uuid,
    request_url text,
    request_headers jsonb,
    response_headers jsonb,
    primary key (tenant_id, attempt_id),
    constraint webhook_attempts_number unique (tenant_id, message_id, number)
  )`,
  `create index webhook_attempts_failed on integration.webhook_attempts (tenant_id, subscription_id, started_at, attempt_id)
    where outcome = 'Failed'`,
  `create index webhook_attempts_subscription on integration.webhook_attempts (tenant_id, subscription_id, started_at, attempt_id)
    where subscription_id is not null`,
  `alter table integration.webhook_attempts enable row level security, force row level security`,
  `create policy tenant on integration.webhook_attempts
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy expired on integration.webhook_attempts to "platform_worker"
    using (started_at < (now() - '12:00:00'::interval))`,

  `create table integration.webhook_messages (
    tenant_id uuid not null,
    message_id uuid not null,
    subscription_id uuid not null,
    event_id uuid not null,
    event_type text not null,
    "position" bigint not null,
    status text not null,
    attempts int not null,
    next_attempt_at timestamptz,
    finished_at timestamptz,
    created_at timestamptz not null default now(),
    origin text not null default '',
    claims int not null default 0,
    envelope json,
    partition_key text,
    attempts_before int not null default 0,
    replay_id uuid,
    primary key (tenant_id, message_id)
  )`,
  `create index webhook_messages_subscription on integration.webhook_messages (tenant_id, subscription_id, created_at)`,
  `create index webhook_messages_finished_at on integration.webhook_messages (finished_at)
    where finished_at is not null`,
  `create index webhook_messages_waiting on integration.webhook_messages (tenant_id, origin, subscription_id, next_attempt_at, "position")
    where status in ('Pending', 'Delivering', 'RetryScheduled')`,
  `alter table integration.webhook_messages add constraint webhook_messages_event unique (tenant_id, event_id, subscription_id)`,
  `create index webhook_messages_keys on integration.webhook_messages (tenant_id, subscription_id, partition_key, "position")
    where status in ('Pending', 'Delivering', 'RetryScheduled') and partition_key is not null`,
  `create index webhook_messages_unsent on integration.webhook_messages (tenant_id, subscription_id, created_at, message_id)
    where status in ('Exhausted', 'Aborted', 'Skipped')`,
  `alter table integration.webhook_messages enable row level security, force row level security`,
  `create policy tenant on integration.webhook_messages
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.webhook_messages to "platform_worker" using (true) with check (true)`,

  `create table integration.webhook_subscriptions (
    tenant_id uuid not null,
    subscription_id uuid not null,
    project_id text,
    event_type text,
    endpoint_url text,
    signing_secret_ref text,
    credential_id uuid,
    content_type text not null,
    status text not null,
    disabled_reason text,
    failing_since timestamptz,
    exhausted_since timestamptz,
    created_at timestamptz(3) not null,
    direction text not null default 'Outbound',
    provider_id uuid,
    rate_per_second int,
    ordering text not null default 'parallel',
    filter json,
    headers jsonb,
    warned_at timestamptz,
    handshake text,
    handshake_since timestamptz,
    handshake_attempts int not null default 0,
    handshake_next_at timestamptz,
    handshake_detail text,
    allowed_per_minute int,
    handshake_url text,
    version int not null default 1,
    deleted_at timestamptz,
    primary key (tenant_id, subscription_id)
  )`,
  `create index webhook_subscriptions_active on integration.webhook_subscriptions (tenant_id, event_type)
    where status = 'Active'`,
  `create index webhook_subscriptions_lookup on integration.webhook_subscriptions (subscription_id)
    where status = 'Active'`,
  `create index webhook_subscriptions_deleted_at on integration.webhook_subscriptions (deleted_at)
    where deleted_at is not null`,
  `create index webhook_subscriptions_by_time on integration.webhook_subscriptions (tenant_id, created_at, subscription_id)
    where status <> 'Deleted'`,
  `alter table integration.webhook_subscriptions enable row level security, force row level security`,
  `create policy tenant on integration.webhook_subscriptions
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy lookup on integration.webhook_subscriptions for select to "platform_worker" using (status = 'Active')`,
  `create policy expired on integration.webhook_subscriptions to "platform_worker" using (deleted_at is not null)`,

  `create table integration.webhook_breakers (
    tenant_id uuid not null,
    origin text not null,
    openings int not null,
    paused_until timestamptz not null,
    primary key (tenant_id, origin)
  )`,
  `create index webhook_breakers_paused_until on integration.webhook_breakers (paused_until)`,
  `alter table integration.webhook_breakers enable row level security, force row level security`,
  `create policy tenant on integration.webhook_breakers
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.webhook_breakers to "platform_worker" using (true) with check (true)`,

  `create table integration.webhook_paces (
    tenant_id uuid not null,
    subscription_id uuid not null,
    next_at timestamptz not null,
    granted int not null,
    primary key (tenant_id, subscription_id)
  )`,
  `create index webhook_paces_next_at on integration.webhook_paces (next_at)`,
  `alter table integration.webhook_paces enable row level security, force row level security`,
  `create policy tenant on integration.webhook_paces
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.webhook_paces to "platform_worker" using (true) with check (true)`,
];
