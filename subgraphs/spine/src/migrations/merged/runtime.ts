// Written by `npm run merge-migrations`.

export const runtime = [
  `create table spine.idempotency_records (
    tenant_id uuid not null,
    principal text not null,
    field text not null,
    key text not null,
    fingerprint text not null,
    result json,
    created_at timestamptz not null default now(),
    primary key (tenant_id, principal, field, key)
  )`,
  `create index idempotency_records_created_at on spine.idempotency_records (created_at)`,
  `alter table spine.idempotency_records enable row level security, force row level security`,
  `create policy tenant on spine.idempotency_records
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy expired on spine.idempotency_records to "platform_worker"
    using (created_at <= (now() - '24:00:00'::interval))`,

  `create table spine.outbox (
    id uuid not null,
    tenant_id uuid not null,
    type text not null,
    envelope json not null,
    seq bigserial,
    published_at timestamptz,
    primary key (id)
  )`,
  `create index outbox_published on spine.outbox (published_at) where published_at is not null`,
  `create index outbox_unpublished on spine.outbox (seq) where published_at is null`,
  `alter table spine.outbox enable row level security, force row level security`,
  `create policy tenant on spine.outbox
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.outbox to "platform_worker" using (true) with check (true)`,
];
