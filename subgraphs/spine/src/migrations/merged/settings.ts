// Written by `npm run merge-migrations`.

export const settings = [
  `create table spine.feature_flags (
    tenant_id uuid not null,
    key text not null,
    enabled boolean not null,
    rollout_percentage int not null,
    description text,
    stickiness text not null,
    rules jsonb not null,
    version int not null,
    created_at timestamptz not null,
    updated_at timestamptz(3) not null,
    updated_by text not null,
    primary key (tenant_id, key)
  )`,
  `create index feature_flags_by_change on spine.feature_flags (tenant_id, updated_at, key)`,
  `alter table spine.feature_flags enable row level security, force row level security`,
  `create policy tenant on spine.feature_flags
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table spine.feature_flag_sets (
    tenant_id uuid not null,
    version int not null,
    flag_count int not null,
    value_count int not null,
    changed_at timestamptz not null,
    primary key (tenant_id)
  )`,
  `create index feature_flag_sets_since on spine.feature_flag_sets (changed_at)`,
  `alter table spine.feature_flag_sets enable row level security, force row level security`,
  `create policy tenant on spine.feature_flag_sets
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on spine.feature_flag_sets for select to "platform_worker" using (true)`,

  `create table spine.feature_flag_versions (
    tenant_id uuid not null,
    key text not null,
    version int not null,
    change text not null,
    enabled boolean not null,
    rollout_percentage int not null,
    description text,
    stickiness text not null,
    rules jsonb not null,
    changed_at timestamptz not null,
    changed_by text not null,
    primary key (tenant_id, key, version)
  )`,
  `create index feature_flag_versions_deleted on spine.feature_flag_versions (tenant_id, changed_at, key)
    where change = 'Deleted'`,
  `alter table spine.feature_flag_versions enable row level security, force row level security`,
  `create policy tenant on spine.feature_flag_versions
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table spine.configuration_entries (
    tenant_id uuid not null,
    key text not null,
    value json,
    sealed_value text,
    is_secret boolean not null,
    description text,
    version int not null,
    created_at timestamptz not null,
    updated_at timestamptz(3) not null,
    updated_by text not null,
    primary key (tenant_id, key)
  )`,
  `create index configuration_entries_sealed on spine.configuration_entries (tenant_id, key)
    where sealed_value is not null`,
  `create index configuration_entries_by_change on spine.configuration_entries (tenant_id, updated_at, key)`,
  `alter table spine.configuration_entries enable row level security, force row level security`,
  `create policy tenant on spine.configuration_entries
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.configuration_entries to "platform_worker" using (true) with check (true)`,

  `create table spine.configuration_versions (
    tenant_id uuid not null,
    key text not null,
    version int not null,
    change text not null,
    value json,
    sealed_value text,
    is_secret boolean not null,
    description text,
    bytes int not null,
    changed_at timestamptz not null,
    changed_by text not null,
    primary key (tenant_id, key, version)
  )`,
  `create index configuration_versions_sealed on spine.configuration_versions (tenant_id, key, version)
    where sealed_value is not null`,
  `create index configuration_versions_by_change on spine.configuration_versions (tenant_id, changed_at, key, version)`,
  `alter table spine.configuration_versions enable row level security, force row level security`,
  `create policy tenant on spine.configuration_versions
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.configuration_versions to "platform_worker" using (true) with check (true)`,
];
