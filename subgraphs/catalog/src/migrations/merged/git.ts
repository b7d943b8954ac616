// Written by `npm run merge-migrations`.

export const git = [
  `create table catalog.repositories (
    tenant_id uuid not null,
    repository_id uuid not null,
    owner text not null,
    name text not null,
    head text not null,
    version int not null,
    bytes bigint not null,
    pack_count int not null,
    crowded_at timestamptz,
    locked_by text,
    locked_until timestamptz,
    primary key (tenant_id, repository_id)
  )`,
  `create index repositories_swept on catalog.repositories (repository_id) where crowded_at is not null`,
  `alter table catalog.repositories add constraint repositories_place unique (tenant_id, owner, name)`,
  `alter table catalog.repositories enable row level security, force row level security`,
  `create policy tenant on catalog.repositories
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on catalog.repositories for select to "platform_worker" using (crowded_at is not null)`,

  `create table catalog.repository_chunks (
    tenant_id uuid not null,
    pack_id uuid not null,
    "position" int not null,
    content bytea not null,
    primary key (tenant_id, pack_id, "position")
  )`,
  `alter table catalog.repository_chunks alter column content set storage external`,
  `alter table catalog.repository_chunks enable row level security, force row level security`,
  `create policy tenant on catalog.repository_chunks
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.repository_packs (
    tenant_id uuid not null,
    pack_id uuid not null,
    repository_id uuid not null,
    checksum text not null,
    bytes bigint not null,
    expires_at timestamptz,
    primary key (tenant_id, pack_id)
  )`,
  `create index repository_packs_expiry on catalog.repository_packs (expires_at) where expires_at is not null`,
  `create index repository_packs_repository on catalog.repository_packs (tenant_id, repository_id)`,
  `alter table catalog.repository_packs enable row level security, force row level security`,
  `create policy tenant on catalog.repository_packs
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy expired on catalog.repository_packs to "platform_worker" using (expires_at < now())`,

  `create table catalog.repository_refs (
    tenant_id uuid not null,
    repository_id uuid not null,
    name text not null,
    object_id text not null,
    primary key (tenant_id, repository_id, name)
  )`,
  `alter table catalog.repository_refs enable row level security, force row level security`,
  `create policy tenant on catalog.repository_refs
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
];
