// Written by `npm run merge-migrations`.

export const plans = [
  `create table spine.plan_subscriptions (
    tenant_id uuid not null,
    subscription_id uuid not null,
    edition_code text not null,
    status text not null,
    created_at timestamptz(3) not null,
    billing_cycle text,
    anchor_at timestamptz,
    current_period_start timestamptz,
    current_period_end timestamptz,
    cancel_at timestamptz,
    trial_ends_at timestamptz,
    past_due_since timestamptz,
    next_change_at timestamptz,
    change_sent_at timestamptz,
    version int not null default 1,
    updated_at timestamptz not null default now(),
    paid_at timestamptz,
    primary key (tenant_id, subscription_id)
  )`,
  `create index plan_subscriptions_due on spine.plan_subscriptions (next_change_at) where next_change_at is not null`,
  `alter table spine.plan_subscriptions add constraint plan_subscriptions_tenant unique (tenant_id)`,
  `create index plan_subscriptions_page on spine.plan_subscriptions (tenant_id, created_at, subscription_id)`,
  `alter table spine.plan_subscriptions enable row level security, force row level security`,
  `create policy tenant on spine.plan_subscriptions
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy waiting on spine.plan_subscriptions for select to "platform_worker" using (next_change_at is not null)`,

  `create table spine.usage_consumptions (
    tenant_id uuid not null,
    feature_key text not null,
    idempotency_key text not null,
    amount bigint not null,
    subject_id text not null,
    period_start timestamptz not null,
    usage_after bigint not null,
    limit_then bigint,
    expires_at timestamptz,
    primary key (tenant_id, feature_key, idempotency_key)
  )`,
  `create index usage_consumptions_expiry on spine.usage_consumptions (expires_at)`,
  `alter table spine.usage_consumptions enable row level security, force row level security`,
  `create policy tenant on spine.usage_consumptions
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy expired on spine.usage_consumptions to "platform_worker" using (expires_at <= now())`,

  `create table spine.usage_counters (
    tenant_id uuid not null,
    feature_key text not null,
    period_start timestamptz not null,
    usage bigint not null,
    reached_in text,
    keep_until timestamptz,
    primary key (tenant_id, feature_key, period_start)
  )`,
  `create index usage_counters_expiry on spine.usage_counters (keep_until)`,
  `alter table spine.usage_counters enable row level security, force row level security`,
  `create policy tenant on spine.usage_counters
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy expired on spine.usage_counters to "platform_worker" using (keep_until <= now())`,
];
