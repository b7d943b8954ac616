// Written by `npm run merge-migrations`.

export const reports = [
  `create table spine.report_definitions (
    tenant_id uuid not null,
    definition_id uuid not null,
    code text not null,
    created_at timestamptz(3) not null,
    primary key (tenant_id, definition_id),
    constraint report_definitions_code unique (tenant_id, code)
  )`,
  `create index report_definitions_page on spine.report_definitions (tenant_id, created_at, definition_id)`,
  `alter table spine.report_definitions enable row level security, force row level security`,
  `create policy tenant on spine.report_definitions
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table spine.report_runs (
    tenant_id uuid not null,
    run_id uuid not null,
    definition_id uuid not null,
    code text not null,
    format text not null,
    parameters jsonb not null,
    period_over boolean not null,
    status text not null,
    fence int not null default 0,
    version int not null default 1,
    rows_done int not null default 0,
    rows_total int,
    size_bytes bigint,
    sha256 text,
    error_code text,
    error_detail text,
    correlation_id text not null,
    traceparent text not null,
    requested_by text not null,
    requested_at timestamptz not null,
    started_at timestamptz,
    completed_at timestamptz,
    expires_at timestamptz,
    updated_at timestamptz not null,
    primary key (tenant_id, run_id)
  )`,
  `create index report_runs_over on spine.report_runs (completed_at) where status in ('Failed', 'Cancelled', 'Expired')`,
  `create index report_runs_expiry on spine.report_runs (expires_at) where status = 'Completed'`,
  `create index report_runs_stored on spine.report_runs (tenant_id) where status = 'Completed'`,
  `create index report_runs_open on spine.report_runs (tenant_id) where status in ('Queued', 'Running')`,
  `create index report_runs_waiting on spine.report_runs (run_id) where status in ('Queued', 'Running')`,
  `alter table spine.report_runs enable row level security, force row level security`,
  `create policy tenant on spine.report_runs
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on spine.report_runs for select to "platform_worker"
    using (status in ('Queued', 'Running') or (status = 'Completed' and expires_at < now()))`,
  `create policy expired on spine.report_runs to "platform_worker" using (status in ('Failed', 'Cancelled', 'Expired'))`,
];
