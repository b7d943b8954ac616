// Written by `npm run merge-migrations`.

export const providers = [
  `create table integration.providers (
    tenant_id uuid not null,
    provider_id uuid not null,
    key text not null,
    display_name text not null,
    category text not null,
    auth_model text not null,
    api_client text,
    api_client_id uuid not null,
    capabilities text[] not null,
    base_url text,
    status text not null,
    registered_at timestamptz(3) not null,
    status_reason text,
    preset text,
    driver json,
    hosts_chosen_by text[] not null default '{}'::text[],
    primary key (tenant_id, provider_id),
    constraint providers_key unique (tenant_id, key),
    constraint providers_api_client unique (tenant_id, api_client_id)
  )`,
  `create index providers_by_display_name on integration.providers (tenant_id, display_name, provider_id)`,
  `create index providers_of_key on integration.providers (key)`,
  `create index providers_by_registration on integration.providers (tenant_id, registered_at, provider_id)`,
  `alter table integration.providers enable row level security, force row level security`,
  `create policy tenant on integration.providers
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy lookup on integration.providers for select to "platform_worker" using (status <> 'Retired')`,
];
