// Written by `npm run merge-migrations`.

export const libraries = [
  `create table catalog.libraries (
    tenant_id uuid not null,
    library_id uuid not null,
    package_name text not null,
    package_key text not null,
    area text,
    owner text,
    capabilities jsonb not null,
    tags text[] not null,
    status text not null,
    created_at timestamptz(3) not null,
    dependency_keys text[] not null default '{}'::text[],
    revision int not null default 0,
    title text,
    description text,
    search_stale boolean not null default true,
    primary key (tenant_id, library_id),
    constraint libraries_package unique (tenant_id, package_key)
  )`,
  `create index libraries_by_creation on catalog.libraries (tenant_id, created_at, library_id)`,
  `create index libraries_search_stale on catalog.libraries (tenant_id) where search_stale`,
  `alter table catalog.libraries enable row level security, force row level security`,
  `create policy tenant on catalog.libraries
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.library_versions (
    tenant_id uuid not null,
    library_version_id uuid not null,
    library_id uuid not null,
    semantic_version text not null,
    version_key text not null,
    target_frameworks text[] not null,
    dependencies jsonb not null,
    conflicts_with jsonb not null,
    status text not null,
    created_at timestamptz not null,
    dependency_groups text[] not null default '{}'::text[],
    consumes text[] not null default '{}'::text[],
    max_runtime text,
    vulnerabilities jsonb not null default '[]'::jsonb,
    deprecation jsonb,
    retirement_reason text,
    resolved_ref text,
    license jsonb,
    primary key (tenant_id, library_version_id),
    constraint library_versions_version unique (tenant_id, library_id, version_key)
  )`,
  `alter table catalog.library_versions enable row level security, force row level security`,
  `create policy tenant on catalog.library_versions
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.api_clients (
    tenant_id uuid not null,
    provider_id uuid not null,
    api_client_id uuid,
    key text,
    display_name text,
    category text,
    capabilities text[] not null,
    status text not null,
    status_since timestamptz not null,
    status_event_id uuid not null,
    details_since timestamptz,
    details_event_id uuid,
    primary key (tenant_id, provider_id),
    constraint api_clients_id unique (tenant_id, api_client_id)
  )`,
  `alter table catalog.api_clients enable row level security, force row level security`,
  `create policy tenant on catalog.api_clients
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.search_entries (
    tenant_id uuid not null,
    entry_id uuid not null,
    source text not null,
    name_key text collate "C" not null,
    area_key text,
    owner_key text,
    tags text[] not null,
    status text not null,
    frameworks text[] not null,
    versioned boolean not null,
    unusable boolean not null generated always as (frameworks = '{}'::text[]) stored,
    primary key (tenant_id, entry_id)
  )`,
  `create index search_entries_owner on catalog.search_entries (tenant_id, owner_key)`,
  `create index search_entries_area on catalog.search_entries (tenant_id, area_key)`,
  `create index search_entries_listing on catalog.search_entries (tenant_id, source, unusable, name_key, entry_id)`,
  `alter table catalog.search_entries enable row level security, force row level security`,
  `create policy tenant on catalog.search_entries
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.search_frameworks (
    tenant_id uuid not null,
    framework text not null,
    primary key (tenant_id, framework)
  )`,
  `alter table catalog.search_frameworks enable row level security, force row level security`,
  `create policy tenant on catalog.search_frameworks
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.search_words (
    tenant_id uuid not null,
    spelling text not null,
    word text not null,
    primary key (tenant_id, spelling, word)
  )`,
  `alter table catalog.search_words enable row level security, force row level security`,
  `create policy tenant on catalog.search_words
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.search_backlog (
    tenant_id uuid not null,
    primary key (tenant_id)
  )`,
  `alter table catalog.search_backlog enable row level security, force row level security`,
  `create policy tenant on catalog.search_backlog
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on catalog.search_backlog to "platform_worker" using (true) with check (true)`,

  `create table catalog.search_postings (
    tenant_id uuid not null,
    kind smallint not null,
    term text collate "C" not null,
    api_client boolean not null,
    unusable boolean not null,
    name_key text collate "C" not null,
    entry_id uuid not null,
    places bit(128) not null,
    primary key (tenant_id, kind, term, api_client, unusable, name_key, entry_id, places)
  ) with (autovacuum_vacuum_insert_scale_factor = 0.02)`,
  `alter table catalog.search_postings enable row level security, force row level security`,
  `create policy tenant on catalog.search_postings
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.advisories (
    tenant_id uuid not null,
    advisory_id text not null,
    summary text,
    aliases text[] not null,
    severity text,
    url text,
    modified_at timestamptz not null,
    withdrawn_at timestamptz,
    imported_at timestamptz not null,
    primary key (tenant_id, advisory_id)
  )`,
  `alter table catalog.advisories enable row level security, force row level security`,
  `create policy tenant on catalog.advisories
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.advisory_packages (
    tenant_id uuid not null,
    package_key text not null,
    advisory_id text not null,
    package_name text not null,
    severity text,
    intervals jsonb not null,
    versions text[] not null,
    primary key (tenant_id, package_key, advisory_id)
  )`,
  `create index advisory_packages_advisory on catalog.advisory_packages (tenant_id, advisory_id)`,
  `alter table catalog.advisory_packages enable row level security, force row level security`,
  `create policy tenant on catalog.advisory_packages
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
];
