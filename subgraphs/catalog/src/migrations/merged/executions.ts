// Written by `npm run merge-migrations`.

export const executions = [
  `create table catalog.executions (
    tenant_id uuid not null,
    execution_id uuid not null,
    template_id uuid not null,
    template_version_id uuid not null,
    status text not null,
    phase text,
    fence int not null,
    parameters json not null,
    libraries jsonb not null,
    repository text not null,
    clone_url text not null,
    branch text not null,
    on_conflict text not null,
    agent_task_id text,
    traceparent text not null,
    requested_by text not null,
    requested_at timestamptz not null,
    started_at timestamptz,
    completed_at timestamptz,
    scaffold_output_id uuid,
    output jsonb,
    manual_instructions jsonb not null,
    warnings jsonb not null,
    error jsonb,
    sequence int not null default 0,
    retry_of uuid,
    credential_ref text,
    directory text not null default '',
    name_directory boolean not null default false,
    connection_id uuid,
    provider_id uuid,
    requested_pull_request jsonb,
    pull_request jsonb,
    pull_request_key text,
    template_revision int not null default 1,
    primary key (tenant_id, execution_id),
    constraint executions_scaffold_output unique (tenant_id, scaffold_output_id)
  )`,
  `create index executions_waiting on catalog.executions (execution_id) where status in ('Requested', 'Running')`,
  `create index executions_pull_request on catalog.executions (tenant_id, provider_id, pull_request_key)
    where pull_request_key is not null`,
  `create index executions_template_version on catalog.executions (tenant_id, template_version_id, template_revision)`,
  `alter table catalog.executions enable row level security, force row level security`,
  `create policy tenant on catalog.executions
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on catalog.executions for select to "platform_worker"
    using (status in ('Requested', 'Running'))`,

  `create table catalog.execution_changes (
    tenant_id uuid not null,
    execution_id uuid not null,
    sequence int not null,
    status text not null,
    phase text,
    changed_at timestamptz not null default clock_timestamp(),
    primary key (tenant_id, execution_id, sequence)
  )`,
  `alter table catalog.execution_changes enable row level security, force row level security`,
  `create policy tenant on catalog.execution_changes
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.scaffold_files (
    tenant_id uuid not null,
    scaffold_output_id uuid not null,
    path text collate "C" not null,
    change text not null,
    executable boolean not null,
    size int not null,
    blob_sha text,
    primary key (tenant_id, scaffold_output_id, path)
  )`,
  `alter table catalog.scaffold_files enable row level security, force row level security`,
  `create policy tenant on catalog.scaffold_files
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table catalog.execution_reservations (
    tenant_id uuid not null,
    execution_id uuid not null,
    reserved_at timestamptz not null,
    is_ending boolean not null,
    primary key (tenant_id, execution_id)
  )`,
  `create index execution_reservations_swept on catalog.execution_reservations (execution_id)`,
  `alter table catalog.execution_reservations enable row level security, force row level security`,
  `create policy tenant on catalog.execution_reservations
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on catalog.execution_reservations for select to "platform_worker" using (true)`,
];
