// Written by `npm run merge-migrations`.

export const ground = [
  `create table integration.edition_projections (
    code text not null,
    version int not null,
    features jsonb not null,
    primary key (code)
  )`,
  `alter table integration.edition_projections enable row level security, force row level security`,
  `create policy worker on integration.edition_projections to "platform_worker" using (true) with check (true)`,

  `create table integration.projection_refreshes (
    name text not null,
    changed_since_ms bigint not null,
    next_at timestamptz not null,
    primary key (name)
  )`,
  `alter table integration.projection_refreshes enable row level security, force row level security`,
  `create policy worker on integration.projection_refreshes to "platform_worker" using (true) with check (true)`,

  `create table integration.tenant_projections (
    tenant_id uuid not null,
    version bigint not null,
    slug text not null,
    status text not null,
    edition_code text not null,
    subscription_status text not null,
    settings jsonb not null,
    limits jsonb not null,
    stored_at timestamptz not null,
    primary key (tenant_id)
  )`,
  `alter table integration.tenant_projections enable row level security, force row level security`,
  `create policy tenant on integration.tenant_projections
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.tenant_projections to "platform_worker" using (true) with check (true)`,
];
