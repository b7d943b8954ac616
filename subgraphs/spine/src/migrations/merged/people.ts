// Written by `npm run merge-migrations`.

export const people = [
  `create table spine.invitations (
    tenant_id uuid not null,
    invitation_id uuid not null,
    email text not null,
    email_key text not null,
    display_name text,
    role_codes text[] not null,
    status text not null,
    token_nonce text not null,
    token_digest text not null,
    invited_by text not null,
    user_id uuid,
    expires_at timestamptz(3) not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz not null,
    inviters text[] not null,
    primary key (tenant_id, invitation_id),
    constraint invitations_token unique (token_digest)
  )`,
  `create unique index invitations_pending on spine.invitations (tenant_id, email_key) where status = 'Pending'`,
  `create index invitations_by_email on spine.invitations (tenant_id, email_key, invitation_id)`,
  `create index invitations_by_expiry on spine.invitations (tenant_id, expires_at, invitation_id)`,
  `create index invitations_page on spine.invitations (tenant_id, created_at, invitation_id)`,
  `alter table spine.invitations enable row level security, force row level security`,
  `create policy tenant on spine.invitations
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.invitations to "platform_worker" using (true) with check (true)`,

  `create table spine.users (
    tenant_id uuid not null,
    user_id uuid not null,
    email text not null,
    email_key text not null,
    display_name text,
    status text not null,
    password_hash text not null,
    last_login_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    name_key text generated always as (lower(display_name)) stored,
    verified_email_key text,
    sign_in_version int not null default 0,
    primary key (tenant_id, user_id)
  )`,
  `create index users_sign_in on spine.users (email_key)`,
  `create unique index users_email on spine.users (tenant_id, email_key) where status <> 'Deleted'`,
  `create index users_email_prefix on spine.users (tenant_id, email_key text_pattern_ops) where status <> 'Deleted'`,
  `create index users_status on spine.users (tenant_id, status, user_id)`,
  `create index users_listed on spine.users (tenant_id, user_id) where status <> 'Deleted'`,
  `alter table spine.users add constraint users_user_id unique (user_id)`,
  `create index users_name_key_prefix on spine.users (tenant_id, name_key text_pattern_ops) where status <> 'Deleted'`,
  `alter table spine.users enable row level security, force row level security`,
  `create policy tenant on spine.users
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.users to "platform_worker" using (true) with check (true)`,

  `create table spine.password_resets (
    tenant_id uuid not null,
    reset_id uuid not null,
    user_id uuid not null,
    token_nonce text not null,
    token_digest text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    primary key (tenant_id, reset_id)
  )`,
  `create index password_resets_expiry on spine.password_resets (expires_at)`,
  `create index password_resets_user on spine.password_resets (tenant_id, user_id)`,
  `alter table spine.password_resets add constraint password_resets_token unique (token_digest)`,
  `alter table spine.password_resets enable row level security, force row level security`,
  `create policy tenant on spine.password_resets
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.password_resets to "platform_worker" using (true) with check (true)`,

  `create table spine.user_origins (
    tenant_id uuid not null,
    principal text not null,
    invited_by text[] not null,
    joined_at timestamptz not null,
    confirmed_by text,
    confirmed_at timestamptz,
    primary key (tenant_id, principal)
  )`,
  `create index user_origins_expired on spine.user_origins (joined_at)`,
  `alter table spine.user_origins enable row level security, force row level security`,
  `create policy tenant on spine.user_origins
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy expired on spine.user_origins to "platform_worker" using (joined_at < (now() - '30 days'::interval))`,
];
