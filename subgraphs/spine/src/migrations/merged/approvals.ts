// Written by `npm run merge-migrations`.

export const approvals = [
  `create table spine.approvals (
    tenant_id uuid not null,
    approval_id uuid not null,
    agent_task_id text not null,
    agent_client_id text not null,
    subject text not null,
    scopes text[] not null,
    scope_key text not null,
    status text not null,
    requested_at timestamptz(3) not null,
    valid_until timestamptz not null,
    decided_by text,
    decided_at timestamptz,
    comment text,
    required_acr text,
    setting jsonb,
    primary key (tenant_id, approval_id)
  )`,
  `create unique index approvals_open on spine.approvals (tenant_id, agent_client_id, agent_task_id, subject, scope_key)
    where status = 'Pending'`,
  `create index approvals_task on spine.approvals (tenant_id, agent_task_id, agent_client_id)`,
  `create index approvals_page on spine.approvals (tenant_id, requested_at, approval_id)`,
  `create index approvals_settings on spine.approvals (approval_id) where setting is not null and status = 'Pending'`,
  `alter table spine.approvals enable row level security, force row level security`,
  `create policy tenant on spine.approvals
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on spine.approvals for select to "platform_worker"
    using (setting is not null and status = 'Pending')`,
];
