import { Migration } from '@mikro-orm/migrations';

export class Migration20261122182420_usage extends Migration {

  override name = 'Migration20261122182420_usage';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."usage_consumptions" ("tenant_id" uuid not null, "feature_key" text not null, "idempotency_key" text not null, "amount" bigint not null, "subject_id" text not null, "period_start" timestamptz not null, "usage_after" bigint not null, "limit_then" bigint null, "expires_at" timestamptz null, primary key ("tenant_id", "feature_key", "idempotency_key"));`);
    this.addSql(`create index "usage_consumptions_expiry" on "spine"."usage_consumptions" ("expires_at");`);

    this.addSql(`create table "spine"."usage_counters" ("tenant_id" uuid not null, "feature_key" text not null, "period_start" timestamptz not null, "usage" bigint not null, "reached_in" text null, "keep_until" timestamptz null, primary key ("tenant_id", "feature_key", "period_start"));`);
    this.addSql(`create index "usage_counters_expiry" on "spine"."usage_counters" ("keep_until");`);

    this.addSql(`alter table "spine"."usage_consumptions" enable row level security;`);
    this.addSql(`alter table "spine"."usage_consumptions" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."usage_consumptions" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "expired" on "spine"."usage_consumptions" to "platform_worker" using (expires_at <= now());`);

    this.addSql(`alter table "spine"."usage_counters" enable row level security;`);
    this.addSql(`alter table "spine"."usage_counters" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."usage_counters" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "expired" on "spine"."usage_counters" to "platform_worker" using (keep_until <= now());`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."usage_consumptions" cascade;`);
    this.addSql(`drop table if exists "spine"."usage_counters" cascade;`);
  }

}
