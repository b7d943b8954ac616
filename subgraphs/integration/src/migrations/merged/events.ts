// Written by `npm run merge-migrations`.

export const events = [
  `create table integration.event_log (
    "position" bigserial,
    tenant_id uuid not null,
    event_id uuid not null,
    type text not null,
    envelope json not null,
    recorded_at timestamptz not null default now(),
    sequence bigint not null,
    correlation_hash bigint,
    primary key ("position")
  )`,
  `create index event_log_recorded_at on integration.event_log (recorded_at)`,
  `alter table integration.event_log add constraint event_log_event unique (tenant_id, event_id)`,
  `alter table integration.event_log add constraint event_log_sequence unique (tenant_id, sequence)`,
  `alter table integration.event_log enable row level security, force row level security`,
  `create policy tenant on integration.event_log
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.event_log to "platform_worker" using (true) with check (true)`,

  `create table integration.event_log_horizons (
    tenant_id uuid not null,
    pruned_through bigint not null,
    primary key (tenant_id)
  )`,
  `alter table integration.event_log_horizons enable row level security, force row level security`,
  `create policy tenant on integration.event_log_horizons
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.event_log_horizons to "platform_worker" using (true) with check (true)`,

  `create table integration.event_log_heads (
    tenant_id uuid not null,
    sequence bigint not null,
    primary key (tenant_id)
  )`,
  `alter table integration.event_log_heads enable row level security, force row level security`,
  `create policy tenant on integration.event_log_heads
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
];
