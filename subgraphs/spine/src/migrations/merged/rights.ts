// Written by `npm run merge-migrations`.

export const rights = [
  `create table spine.roles (
    tenant_id uuid not null,
    role_id uuid not null,
    code text not null,
    name text not null,
    description text,
    scopes text[] not null,
    is_system boolean not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz not null,
    primary key (tenant_id, role_id)
  )`,
  `create unique index roles_code on spine.roles (tenant_id, lower(code))`,
  `create index roles_by_name on spine.roles (tenant_id, name, role_id)`,
  `create index roles_by_code on spine.roles (tenant_id, code, role_id)`,
  `create index roles_page on spine.roles (tenant_id, created_at, role_id)`,
  `alter table spine.roles enable row level security, force row level security`,
  `create policy tenant on spine.roles
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table spine.role_assignments (
    tenant_id uuid not null,
    assignment_id uuid not null,
    role_id uuid not null,
    principal_id text not null,
    assigned_by text not null,
    assigned_at timestamptz(3) not null,
    expires_at timestamptz,
    primary key (tenant_id, assignment_id),
    constraint role_assignments_once unique (tenant_id, principal_id, role_id)
  )`,
  `create index role_assignments_holders on spine.role_assignments (tenant_id, role_id, principal_id)`,
  `create index role_assignments_expiry on spine.role_assignments (expires_at) where expires_at is not null`,
  `create index role_assignments_role on spine.role_assignments (tenant_id, role_id, assigned_at, assignment_id)`,
  `alter table spine.role_assignments enable row level security, force row level security`,
  `create policy tenant on spine.role_assignments
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy expired on spine.role_assignments to "platform_worker" using (expires_at <= now())`,
];
