// Written by `npm run merge-migrations`.

export const connections = [
  `create table integration.connections (
    tenant_id uuid not null,
    connection_id uuid not null,
    project_id text,
    provider_id uuid not null,
    display_name text not null,
    auth_mode text not null,
    credential_ref text,
    credential_id uuid,
    configuration jsonb not null,
    webhook_secret_ref text,
    webhook_credential_id uuid,
    external_account_id text,
    status text not null,
    status_reason text,
    health text not null,
    health_run_id uuid,
    last_checked_at timestamptz,
    last_run_id uuid,
    consecutive_failures int not null,
    consecutive_successes int not null,
    consecutive_rejections int not null,
    failing_since timestamptz,
    next_probe_at timestamptz,
    established_at timestamptz(3) not null,
    trace_id text not null,
    version int not null,
    deleted_at timestamptz,
    health_reason text,
    failure_days jsonb not null default '{}'::jsonb,
    primary key (tenant_id, connection_id)
  )`,
  `create index connections_of_credential on integration.connections (tenant_id, credential_id)
    where status <> 'Deleted'`,
  `create index connections_of_provider on integration.connections (tenant_id, provider_id) where status <> 'Deleted'`,
  `create index connections_by_display_name on integration.connections (tenant_id, display_name, connection_id)
    where status <> 'Deleted'`,
  `create index connections_due on integration.connections (tenant_id, next_probe_at) where status = 'Active'`,
  `create index connections_lookup on integration.connections (connection_id) where status <> 'Deleted'`,
  `create index connections_deleted_at on integration.connections (deleted_at) where deleted_at is not null`,
  `create index connections_of_account on integration.connections (tenant_id, provider_id, external_account_id)
    where status <> 'Deleted' and external_account_id is not null`,
  `create index connections_by_time on integration.connections (tenant_id, established_at, connection_id)
    where status <> 'Deleted'`,
  `alter table integration.connections enable row level security, force row level security`,
  `create policy tenant on integration.connections
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.connections to "platform_worker" using (true) with check (true)`,

  `create table integration.connection_tokens (
    tenant_id uuid not null,
    connection_id uuid not null,
    version int not null,
    key_id text,
    wrapped_key bytea,
    ciphertext bytea,
    scope text,
    issued_at timestamptz,
    expires_at timestamptz,
    leased_until timestamptz,
    leases int not null,
    failed_at timestamptz,
    failure_code text,
    client jsonb,
    failed_client jsonb,
    primary key (tenant_id, connection_id)
  )`,
  `alter table integration.connection_tokens enable row level security, force row level security`,
  `create policy tenant on integration.connection_tokens
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.connection_tokens to "platform_worker" using (true) with check (true)`,

  `create table integration.vendor_rates (
    tenant_id uuid not null,
    connection_id uuid not null,
    next_at timestamptz not null,
    paused_until timestamptz,
    primary key (tenant_id, connection_id)
  )`,
  `create index vendor_rates_next_at on integration.vendor_rates (next_at)`,
  `alter table integration.vendor_rates enable row level security, force row level security`,
  `create policy tenant on integration.vendor_rates
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.vendor_rates to "platform_worker" using (true) with check (true)`,

  `create table integration.connection_authorizations (
    tenant_id uuid not null,
    authorization_id uuid not null,
    connection_id uuid not null,
    ticket_hash text not null,
    state_hash text,
    browser_hash text,
    sealed_verifier text,
    requested_by text not null,
    expires_at timestamptz not null,
    used_at timestamptz,
    primary key (tenant_id, authorization_id)
  )`,
  `create index connection_authorizations_expired on integration.connection_authorizations (expires_at)`,
  `create index connection_authorizations_of_connection on integration.connection_authorizations (tenant_id, connection_id)`,
  `alter table integration.connection_authorizations add constraint connection_authorizations_state unique (state_hash)`,
  `alter table integration.connection_authorizations add constraint connection_authorizations_ticket unique (ticket_hash)`,
  `alter table integration.connection_authorizations enable row level security, force row level security`,
  `create policy tenant on integration.connection_authorizations
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.connection_authorizations to "platform_worker" using (true) with check (true)`,
];
