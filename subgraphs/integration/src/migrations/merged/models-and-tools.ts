// Written by `npm run merge-migrations`.

export const modelsAndTools = [
  `create table integration.listed_servers (
    tenant_id uuid not null,
    connection_id uuid not null,
    listed_at timestamptz not null,
    fresh_until timestamptz not null,
    left_out jsonb not null default '[]'::jsonb,
    primary key (tenant_id, connection_id)
  )`,
  `alter table integration.listed_servers enable row level security, force row level security`,
  `create policy tenant on integration.listed_servers
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table integration.tools (
    tenant_id uuid not null,
    connection_id uuid not null,
    name text not null,
    part text not null,
    definition text not null,
    definition_hash text not null,
    accepted_hash text not null,
    "position" int,
    primary key (tenant_id, connection_id, name)
  )`,
  `alter table integration.tools enable row level security, force row level security`,
  `create policy tenant on integration.tools
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table integration.model_budgets (
    tenant_id uuid not null,
    budget text not null,
    request_at timestamptz not null,
    token_at timestamptz not null,
    primary key (tenant_id, budget)
  )`,
  `create index model_budgets_token_at on integration.model_budgets (token_at)`,
  `alter table integration.model_budgets enable row level security, force row level security`,
  `create policy tenant on integration.model_budgets
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.model_budgets to "platform_worker" using (true) with check (true)`,

  `create table integration.model_contents (
    tenant_id uuid not null,
    run_id uuid not null,
    key_id text not null,
    wrapped_key bytea not null,
    ciphertext bytea not null,
    expires_at timestamptz not null,
    primary key (tenant_id, run_id)
  )`,
  `create index model_contents_expires_at on integration.model_contents (expires_at)`,
  `alter table integration.model_contents enable row level security, force row level security`,
  `create policy tenant on integration.model_contents
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.model_contents to "platform_worker" using (true) with check (true)`,
];
