// Written by `npm run merge-migrations`.

export const commands = [
  `create table integration.vendor_commands (
    tenant_id uuid not null,
    command_id uuid not null,
    type text not null,
    status text not null,
    run_id uuid,
    connection_id uuid,
    provider_id uuid,
    key_id text,
    wrapped_key bytea,
    ciphertext bytea,
    expires_at timestamptz,
    vendor_reference text,
    error_code text,
    received_at timestamptz not null default now(),
    ended_at timestamptz,
    asked_at timestamptz,
    reported_outcome text,
    reported_delivery_id uuid,
    primary key (tenant_id, command_id)
  )`,
  `create index vendor_commands_ended_at on integration.vendor_commands (ended_at) where ended_at is not null`,
  `create index vendor_commands_open on integration.vendor_commands (tenant_id, provider_id) where status = 'Accepted'`,
  `create index vendor_commands_of_vendor on integration.vendor_commands (tenant_id, vendor_reference, provider_id)
    where vendor_reference is not null`,
  `alter table integration.vendor_commands enable row level security, force row level security`,
  `create policy tenant on integration.vendor_commands
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on integration.vendor_commands to "platform_worker" using (true) with check (true)`,
];
