// Written by `npm run merge-migrations`.

export const oauthClients = [
  `create table spine.api_clients (
    tenant_id uuid not null,
    client_id text not null,
    name text not null,
    scopes text[] not null,
    grant_types text[] not null,
    principal_type text not null,
    platform_admin boolean not null,
    status text not null,
    secret_nonce text,
    secret_digest text not null,
    created_at timestamptz(3) not null,
    redirect_uris text[] not null default '{}'::text[],
    first_party boolean not null default false,
    is_public boolean not null default false,
    jwks jsonb,
    secret_held_by text,
    identity_scopes text[] not null default '{}'::text[],
    created_by_platform boolean not null default false,
    disabled_with text,
    primary key (tenant_id, client_id),
    constraint api_clients_client_id unique (client_id)
  )`,
  `create index api_clients_by_name on spine.api_clients (tenant_id, name, client_id)`,
  `create index api_clients_page on spine.api_clients (tenant_id, created_at, client_id)`,
  `alter table spine.api_clients enable row level security, force row level security`,
  `create policy tenant on spine.api_clients
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.api_clients to "platform_worker" using (true) with check (true)`,
];
