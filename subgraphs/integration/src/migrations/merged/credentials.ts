// Written by `npm run merge-migrations`.

export const credentials = [
  `create table integration.credentials (
    tenant_id uuid not null,
    credential_id uuid not null,
    name text not null,
    kind text not null,
    current_version int not null,
    status text not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz,
    grace_seconds int,
    rotation_interval_days int,
    next_rotation_at timestamptz,
    rotation_run_id uuid,
    expiry_warning_days int,
    next_change_at timestamptz,
    change_sent_at timestamptz,
    material_due_at timestamptz,
    primary key (tenant_id, credential_id),
    constraint credentials_name unique (tenant_id, name)
  )`,
  `create index credentials_due on integration.credentials (next_change_at) where next_change_at is not null`,
  `create index credentials_by_creation on integration.credentials (tenant_id, created_at, credential_id)`,
  `alter table integration.credentials enable row level security, force row level security`,
  `create policy tenant on integration.credentials
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on integration.credentials for select to "platform_worker" using (next_change_at is not null)`,
  `create policy lookup on integration.credentials for select to "platform_worker"
    using (status in ('Active', 'Rotating', 'RotationFailed'))`,

  `create table integration.credential_versions (
    tenant_id uuid not null,
    credential_id uuid not null,
    version int not null,
    stage text not null,
    grace_ends_at timestamptz,
    key_id text not null,
    wrapped_key bytea,
    ciphertext bytea not null,
    created_at timestamptz not null,
    reason text,
    grace_seconds int,
    expires_at timestamptz,
    verification_run_id uuid,
    verified_at timestamptz,
    promoted_at timestamptz,
    retired_at timestamptz,
    failed_at timestamptz,
    unseen boolean not null default false,
    primary key (tenant_id, credential_id, version)
  )`,
  `alter table integration.credential_versions enable row level security, force row level security`,
  `create policy tenant on integration.credential_versions
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on integration.credential_versions for select to "platform_worker"
    using (wrapped_key is not null)`,
];
