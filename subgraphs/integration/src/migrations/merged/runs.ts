// Written by `npm run merge-migrations`.

export const runs = [
  `create table integration.runs (
    tenant_id uuid not null,
    run_id uuid not null,
    connection_id uuid,
    credential_id uuid,
    delivery_id uuid,
    project_id text,
    operation text not null,
    status text not null,
    attempts int not null default 0,
    max_attempts int not null,
    fence int not null default 0,
    payload jsonb not null default '{}'::jsonb,
    result jsonb,
    steps jsonb not null default '[]'::jsonb,
    error_code text,
    error_detail text,
    correlation_id text not null,
    traceparent text not null,
    requested_by text,
    created_at timestamptz not null default now(),
    started_at timestamptz,
    next_attempt_at timestamptz,
    deadline_at timestamptz,
    completed_at timestamptz,
    progress jsonb,
    checkpoint jsonb,
    primary key (tenant_id, run_id)
  )`,
  `create index runs_completed_at on integration.runs (completed_at) where completed_at is not null`,
  `create index runs_credential on integration.runs (tenant_id, credential_id, run_id) where credential_id is not null`,
  `create index runs_connection on integration.runs (tenant_id, connection_id, run_id) where connection_id is not null`,
  `create index runs_waiting on integration.runs (run_id)
    where status in ('Queued', 'Running', 'RetryScheduled') and operation <> 'ProcessDelivery'`,
  `create index runs_routine on integration.runs (completed_at)
    where operation = 'CheckHealth' and status = 'Completed' and requested_by = 'system'`,
  `create index runs_replays on integration.runs (tenant_id)
    where operation = 'ReplayDeliveries' and status in ('Queued', 'Running', 'RetryScheduled')`,
  `alter table integration.runs enable row level security, force row level security`,
  `create policy tenant on integration.runs
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on integration.runs for select to "platform_worker"
    using (status in ('Queued', 'Running', 'RetryScheduled') and operation <> 'ProcessDelivery')`,
  `create policy expired on integration.runs to "platform_worker" using (completed_at is not null)`,
];
