import { Migration } from '@mikro-orm/migrations';

export class Migration20261123084958_vendor_commands extends Migration {

  override name = 'Migration20261123084958_vendor_commands';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."vendor_commands" ("tenant_id" uuid not null, "command_id" uuid not null, "type" text not null, "status" text not null, "run_id" uuid null, "connection_id" uuid null, "provider_id" uuid null, "key_id" text null, "wrapped_key" bytea null, "ciphertext" bytea null, "expires_at" timestamptz null, "vendor_reference" text null, "error_code" text null, "received_at" timestamptz not null default now(), "ended_at" timestamptz null, primary key ("tenant_id", "command_id"));`);
    this.addSql(`create index "vendor_commands_ended_at" on "integration"."vendor_commands" ("ended_at") where ended_at is not null;`);

    this.addSql(`alter table "integration"."vendor_commands" enable row level security;`);
    this.addSql(`alter table "integration"."vendor_commands" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."vendor_commands" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "integration"."vendor_commands" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."vendor_commands" cascade;`);
  }

}
