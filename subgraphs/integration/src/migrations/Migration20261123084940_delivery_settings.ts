import { Migration } from '@mikro-orm/migrations';

export class Migration20261123084940_delivery_settings extends Migration {

  override name = 'Migration20261123084940_delivery_settings';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."webhook_paces" ("tenant_id" uuid not null, "subscription_id" uuid not null, "next_at" timestamptz not null, "granted" int not null, primary key ("tenant_id", "subscription_id"));`);
    this.addSql(`create index "webhook_paces_next_at" on "integration"."webhook_paces" ("next_at");`);

    this.addSql(`alter table "integration"."webhook_messages" add "partition_key" text null;`);
    this.addSql(`create index "webhook_messages_keys" on "integration"."webhook_messages" ("tenant_id", "subscription_id", "partition_key", "position") where status in ('Pending', 'Delivering', 'RetryScheduled') and partition_key is not null;`);

    this.addSql(`alter table "integration"."webhook_subscriptions" add "rate_per_second" int null, add "ordering" text not null default 'parallel', add "filter" jsonb null, add "headers" jsonb null, add "warned_at" timestamptz null;`);

    this.addSql(`alter table "integration"."webhook_paces" enable row level security;`);
    this.addSql(`alter table "integration"."webhook_paces" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."webhook_paces" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "integration"."webhook_paces" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."webhook_paces" cascade;`);

    this.addSql(`drop index "integration"."webhook_messages_keys";`);
    this.addSql(`alter table "integration"."webhook_messages" drop column "partition_key";`);

    this.addSql(`alter table "integration"."webhook_subscriptions" drop column "rate_per_second", drop column "ordering", drop column "filter", drop column "headers", drop column "warned_at";`);
  }

}
