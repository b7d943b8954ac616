// Written by `npm run merge-migrations`.

export const tenants = [
  `create table spine.provisioning_runs (
    tenant_id uuid not null,
    run_id uuid not null,
    status text not null,
    completed_steps text[] not null,
    requested_at timestamptz not null,
    ended_at timestamptz,
    primary key (tenant_id, run_id)
  )`,
  `create unique index provisioning_runs_running on spine.provisioning_runs (tenant_id) where status = 'Running'`,
  `create index provisioning_runs_waiting on spine.provisioning_runs (run_id) where status = 'Running'`,
  `create index provisioning_runs_by_id on spine.provisioning_runs (run_id)`,
  `alter table spine.provisioning_runs enable row level security, force row level security`,
  `create policy tenant on spine.provisioning_runs
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on spine.provisioning_runs for select to "platform_worker" using (status = 'Running')`,
  `create policy platform on spine.provisioning_runs for select using (current_setting('app.platform', true) = 'on')`,

  `create table spine.tenants (
    tenant_id uuid not null,
    name text not null,
    slug text not null,
    status text not null,
    edition_code text not null,
    owner_email text,
    subscription_id uuid,
    created_at timestamptz(3) not null,
    updated_at timestamptz not null,
    system_roles_digest text,
    owner_invitation_id uuid,
    provisioned_steps text[] not null default '{}'::text[],
    version bigint not null default '1'::bigint,
    changed_at timestamptz not null default clock_timestamp(),
    limits jsonb not null default '{}'::jsonb,
    primary key (tenant_id),
    constraint tenants_slug unique (slug)
  )`,
  `create index tenants_by_name on spine.tenants (name, tenant_id)`,
  `create index tenants_by_change on spine.tenants (changed_at, tenant_id)`,
  `create index tenants_page on spine.tenants (created_at, tenant_id)`,
  `create index tenants_by_plan on spine.tenants (subscription_id)`,
  `alter table spine.tenants enable row level security, force row level security`,
  `create policy tenant on spine.tenants
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.tenants to "platform_worker" using (true) with check (true)`,
  `create policy platform on spine.tenants
    using (current_setting('app.platform', true) = 'on')
    with check (current_setting('app.platform', true) = 'on')`,

  `create table spine.editions (
    code text not null,
    name text not null,
    description text,
    trial_days int not null,
    features jsonb not null,
    active boolean not null,
    version int not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    self_service boolean not null default true,
    primary key (code)
  )`,
  `alter table spine.editions enable row level security, force row level security`,
  `create policy worker on spine.editions to "platform_worker" using (true) with check (true)`,
  `create policy platform on spine.editions
    using (current_setting('app.platform', true) = 'on')
    with check (current_setting('app.platform', true) = 'on')`,
  `create policy readable on spine.editions for select using (true)`,

  `create table spine.edition_versions (
    code text not null,
    version int not null,
    name text not null,
    description text,
    trial_days int not null,
    features jsonb not null,
    active boolean not null,
    changed_at timestamptz not null,
    changed_by text not null,
    reverted_from int,
    self_service boolean not null default true,
    primary key (code, version)
  )`,
  `alter table spine.edition_versions enable row level security, force row level security`,
  `create policy worker on spine.edition_versions to "platform_worker" using (true) with check (true)`,
  `create policy platform on spine.edition_versions
    using (current_setting('app.platform', true) = 'on')
    with check (current_setting('app.platform', true) = 'on')`,
];
