// Written by `npm run merge-migrations`.

export const templates = [
  `create table catalog.templates (
    tenant_id uuid not null,
    template_id uuid not null,
    name text not null,
    name_key text not null,
    title text,
    category text,
    owner text,
    tags text[] not null,
    status text not null,
    created_at timestamptz(3) not null,
    search_stale boolean not null default true,
    description text,
    primary key (tenant_id, template_id),
    constraint templates_name unique (tenant_id, name_key)
  )`,
  `create index templates_by_creation on catalog.templates (tenant_id, created_at, template_id)`,
  `create index templates_search_stale on catalog.templates (tenant_id) where search_stale`,
  `alter table catalog.templates enable row level security, force row level security`,
  `create policy tenant on catalog.templates
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.template_versions (
    tenant_id uuid not null,
    template_version_id uuid not null,
    template_id uuid not null,
    semantic_version text not null,
    precedence text not null,
    source_ref text not null,
    resolved_ref text,
    content_digest text,
    engine_kind text not null,
    target_framework text not null,
    parameter_schema json not null,
    changelog text,
    status text not null,
    created_at timestamptz not null,
    facts jsonb,
    published_at timestamptz,
    deprecation jsonb,
    template_identity text,
    template_language text,
    template_type text,
    details jsonb,
    parameter_schema_origin text not null default 'Given',
    revision int not null default 1,
    primary key (tenant_id, template_version_id)
  )`,
  `create index template_versions_template on catalog.template_versions (tenant_id, template_id)`,
  `alter table catalog.template_versions add constraint template_versions_semantic_version unique (tenant_id, template_id, precedence)`,
  `alter table catalog.template_versions enable row level security, force row level security`,
  `create policy tenant on catalog.template_versions
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.validation_results (
    tenant_id uuid not null,
    validation_result_id uuid not null,
    template_version_id uuid not null,
    outcome text not null,
    checks text[] not null,
    findings jsonb not null,
    samples int not null,
    content_digest text,
    validated_at timestamptz not null,
    revision int not null default 1,
    primary key (tenant_id, validation_result_id)
  )`,
  `create index validation_results_version on catalog.validation_results (tenant_id, template_version_id, validation_result_id)`,
  `alter table catalog.validation_results enable row level security, force row level security`,
  `create policy tenant on catalog.validation_results
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.catalog_documents (
    tenant_id uuid not null,
    document_id uuid not null,
    kind text not null,
    name text not null,
    name_key text collate "C" not null,
    title text,
    description text,
    tags text[] not null,
    capabilities text[] not null,
    primary key (tenant_id, document_id)
  )`,
  `alter table catalog.catalog_documents enable row level security, force row level security`,
  `create policy tenant on catalog.catalog_documents
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.catalog_terms (
    tenant_id uuid not null,
    term text collate "C" not null,
    document_id uuid not null,
    weight smallint not null,
    primary key (tenant_id, term, document_id)
  )`,
  `create index catalog_terms_document on catalog.catalog_terms (tenant_id, document_id)`,
  `alter table catalog.catalog_terms enable row level security, force row level security`,
  `create policy tenant on catalog.catalog_terms
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.replaced_drafts (
    tenant_id uuid not null,
    template_version_id uuid not null,
    revision int not null,
    semantic_version text not null,
    source_ref text not null,
    resolved_ref text,
    content_digest text,
    template_identity text,
    template_language text,
    template_type text,
    engine_kind text not null,
    target_framework text not null,
    parameter_schema json not null,
    parameter_schema_origin text not null,
    replaced_at timestamptz not null,
    primary key (tenant_id, template_version_id, revision)
  )`,
  `alter table catalog.replaced_drafts enable row level security, force row level security`,
  `create policy tenant on catalog.replaced_drafts
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
];
