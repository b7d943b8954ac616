import { Migration } from '@mikro-orm/migrations';

export class Migration20261122182758_configuration extends Migration {

  override name = 'Migration20261122182758_configuration';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."configuration_entries" ("tenant_id" uuid not null, "key" text not null, "value" jsonb null, "sealed_value" text null, "is_secret" boolean not null, "description" text null, "version" int not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "updated_by" text not null, primary key ("tenant_id", "key"));`);
    this.addSql(`create index configuration_entries_sealed on configuration_entries (tenant_id, key) where sealed_value is not null;`);
    this.addSql(`create index "configuration_entries_by_change" on "spine"."configuration_entries" ("tenant_id", "updated_at", "key");`);

    this.addSql(`create table "spine"."configuration_versions" ("tenant_id" uuid not null, "key" text not null, "version" int not null, "change" text not null, "value" jsonb null, "sealed_value" text null, "is_secret" boolean not null, "description" text null, "bytes" int not null, "changed_at" timestamptz not null, "changed_by" text not null, primary key ("tenant_id", "key", "version"));`);
    this.addSql(`create index configuration_versions_sealed on configuration_versions (tenant_id, key, version) where sealed_value is not null;`);
    this.addSql(`create index "configuration_versions_by_change" on "spine"."configuration_versions" ("tenant_id", "changed_at", "key", "version");`);

    this.addSql(`alter table "spine"."configuration_entries" enable row level security;`);
    this.addSql(`alter table "spine"."configuration_entries" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."configuration_entries" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."configuration_entries" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "spine"."configuration_versions" enable row level security;`);
    this.addSql(`alter table "spine"."configuration_versions" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."configuration_versions" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."configuration_versions" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."configuration_entries" cascade;`);
    this.addSql(`drop table if exists "spine"."configuration_versions" cascade;`);
  }

}
