// Written by `npm run merge-migrations`.

export const signIn = [
  `create table spine.signing_keys (
    key_id text not null,
    public_key jsonb not null,
    sealed_private_key text not null,
    created_at timestamptz not null,
    signs_from timestamptz not null default now(),
    retires_at timestamptz,
    primary key (key_id)
  )`,
  `alter table spine.signing_keys enable row level security, force row level security`,
  `create policy worker on spine.signing_keys to "platform_worker" using (true) with check (true)`,

  `create table spine.oidc_artifacts (
    kind text not null,
    id_digest text not null,
    payload jsonb not null,
    grant_id text,
    uid_digest text,
    account_id text,
    consumed_at timestamptz,
    expires_at timestamptz not null,
    user_agent text,
    address text,
    seen_at timestamptz,
    primary key (kind, id_digest)
  )`,
  `create index oidc_artifacts_grant on spine.oidc_artifacts (grant_id)`,
  `create index oidc_artifacts_uid on spine.oidc_artifacts (uid_digest)`,
  `create index oidc_artifacts_account on spine.oidc_artifacts (account_id)`,
  `create index oidc_artifacts_expiry on spine.oidc_artifacts (expires_at)`,
  `alter table spine.oidc_artifacts enable row level security, force row level security`,
  `create policy worker on spine.oidc_artifacts to "platform_worker" using (true) with check (true)`,

  `create table spine.passkeys (
    tenant_id uuid not null,
    factor_id uuid not null,
    user_id uuid not null,
    credential_id text not null,
    public_key bytea not null,
    transports text[] not null,
    name text not null,
    device_bound boolean not null,
    signature_count bigint not null,
    added_at timestamptz not null,
    last_used_at timestamptz,
    primary key (tenant_id, factor_id)
  )`,
  `create index passkeys_of_user on spine.passkeys (tenant_id, user_id, factor_id)`,
  `alter table spine.passkeys add constraint passkeys_credential unique (credential_id)`,
  `alter table spine.passkeys enable row level security, force row level security`,
  `create policy tenant on spine.passkeys
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy lookup on spine.passkeys for select to "platform_worker" using (true)`,

  `create table spine.recovery_codes (
    tenant_id uuid not null,
    user_id uuid not null,
    code_digest text not null,
    created_at timestamptz not null,
    primary key (tenant_id, user_id, code_digest)
  )`,
  `alter table spine.recovery_codes enable row level security, force row level security`,
  `create policy tenant on spine.recovery_codes
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,

  `create table spine.totp_factors (
    tenant_id uuid not null,
    factor_id uuid not null,
    user_id uuid not null,
    sealed_secret text not null,
    last_step int not null,
    created_at timestamptz not null,
    last_used_at timestamptz,
    primary key (tenant_id, factor_id)
  )`,
  `create index totp_factors_user on spine.totp_factors (tenant_id, user_id)`,
  `alter table spine.totp_factors enable row level security, force row level security`,
  `create policy tenant on spine.totp_factors
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.totp_factors to "platform_worker" using (true) with check (true)`,

  `create table spine.factor_locks (
    tenant_id uuid not null,
    user_id uuid not null,
    failures int not null,
    locked_at timestamptz,
    link_nonce text,
    link_digest text,
    link_expires_at timestamptz,
    link_mailed_at timestamptz,
    link_used_at timestamptz,
    primary key (tenant_id, user_id),
    constraint factor_locks_link unique (link_digest)
  )`,
  `alter table spine.factor_locks enable row level security, force row level security`,
  `create policy tenant on spine.factor_locks
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.factor_locks to "platform_worker" using (true) with check (true)`,
];
