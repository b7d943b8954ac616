// Written by `npm run merge-migrations`.

export const deliveries = [
  `create table integration.webhook_deliveries (
    tenant_id uuid not null,
    delivery_id uuid not null,
    provider_id uuid not null,
    provider_key text not null,
    provider_delivery_id text not null,
    event_name text not null,
    normalized_event_type text not null,
    body_sha256 bytea not null,
    key_id text,
    wrapped_key bytea,
    ciphertext bytea,
    subscription_id uuid,
    connection_id uuid,
    run_id uuid not null,
    status text not null,
    attempts int not null default 0,
    next_attempt_at timestamptz,
    claims int not null default 0,
    error_code text,
    error_detail text,
    trace_id text not null,
    received_at timestamptz not null default now(),
    processed_at timestamptz,
    primary key (tenant_id, delivery_id)
  )`,
  `create index webhook_deliveries_received_at on integration.webhook_deliveries (received_at)`,
  `create index webhook_deliveries_unhandled on integration.webhook_deliveries (tenant_id, next_attempt_at)
    where status in ('Accepted', 'Processing', 'Failed')`,
  `create index webhook_deliveries_by_reception on integration.webhook_deliveries (tenant_id, received_at, delivery_id)`,
  `alter table integration.webhook_deliveries add constraint webhook_deliveries_provider_delivery unique (tenant_id, provider_id, provider_delivery_id)`,
  `create index webhook_deliveries_failed on integration.webhook_deliveries (tenant_id, received_at, delivery_id)
    where status in ('Failed', 'DeadLettered')`,
  `alter table integration.webhook_deliveries enable row level security, force row level security`,
  `create policy tenant on integration.webhook_deliveries
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.webhook_deliveries to "platform_worker" using (true) with check (true)`,

  `create table integration.refused_deliveries (
    tenant_id uuid not null,
    resource_id uuid not null,
    count bigint not null,
    last_reason text not null,
    first_refused_at timestamptz(3) not null,
    last_refused_at timestamptz(3) not null,
    primary key (tenant_id, resource_id)
  )`,
  `create index refused_deliveries_at on integration.refused_deliveries (last_refused_at)`,
  `alter table integration.refused_deliveries enable row level security, force row level security`,
  `create policy tenant on integration.refused_deliveries
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.refused_deliveries to "platform_worker" using (true) with check (true)`,
];
