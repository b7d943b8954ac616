import { Migration } from '@mikro-orm/migrations';

export class Migration20261123013435_connection_tokens extends Migration {

  override name = 'Migration20261123013435_connection_tokens';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."connection_tokens" ("tenant_id" uuid not null, "connection_id" uuid not null, "version" int not null, "key_id" text null, "wrapped_key" bytea null, "ciphertext" bytea null, "scope" text null, "issued_at" timestamptz null, "expires_at" timestamptz null, "leased_until" timestamptz null, "leases" int not null, "failed_at" timestamptz null, "failure_code" text null, primary key ("tenant_id", "connection_id"));`);

    this.addSql(`create table "integration"."vendor_rates" ("tenant_id" uuid not null, "connection_id" uuid not null, "next_at" timestamptz not null, "paused_until" timestamptz null, primary key ("tenant_id", "connection_id"));`);
    this.addSql(`create index "vendor_rates_next_at" on "integration"."vendor_rates" ("next_at");`);

    this.addSql(`alter table "integration"."connection_tokens" enable row level security;`);
    this.addSql(`alter table "integration"."connection_tokens" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."connection_tokens" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "waiting" on "integration"."connection_tokens" for select to "platform_worker" using (wrapped_key is not null);`);

    this.addSql(`alter table "integration"."vendor_rates" enable row level security;`);
    this.addSql(`alter table "integration"."vendor_rates" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."vendor_rates" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "integration"."vendor_rates" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."connection_tokens" cascade;`);
    this.addSql(`drop table if exists "integration"."vendor_rates" cascade;`);
  }

}
