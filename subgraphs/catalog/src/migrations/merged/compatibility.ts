// Written by `npm run merge-migrations`.

export const compatibility = [
  `create table catalog.compatibility_matrices (
    tenant_id uuid not null,
    matrix_id uuid not null,
    template_version_id uuid,
    runtime text not null,
    libraries jsonb not null,
    compatible boolean not null,
    violations jsonb not null,
    advisories jsonb not null,
    evaluated_at timestamptz not null,
    snapshot_digest text,
    primary key (tenant_id, matrix_id)
  )`,
  `alter table catalog.compatibility_matrices enable row level security, force row level security`,
  `create policy tenant on catalog.compatibility_matrices
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.dependency_scans (
    tenant_id uuid not null,
    dependency_scan_id uuid not null,
    template_version_id uuid,
    template_name text,
    semantic_version text,
    render_digest text,
    content_digest text,
    runtime text,
    libraries jsonb,
    packages jsonb not null,
    limits text[] not null,
    package_count int not null,
    unknown_count int not null,
    vulnerability_counts jsonb not null,
    scanned_at timestamptz not null,
    primary key (tenant_id, dependency_scan_id)
  )`,
  `create index dependency_scans_version on catalog.dependency_scans (tenant_id, template_version_id, dependency_scan_id)`,
  `alter table catalog.dependency_scans enable row level security, force row level security`,
  `create policy tenant on catalog.dependency_scans
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
];
