import { Migration } from '@mikro-orm/migrations';

export class Migration20261123085134_tools extends Migration {

  override name = 'Migration20261123085134_tools';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."listed_servers" ("tenant_id" uuid not null, "connection_id" uuid not null, "listed_at" timestamptz not null, "fresh_until" timestamptz not null, primary key ("tenant_id", "connection_id"));`);

    this.addSql(`create table "integration"."tools" ("tenant_id" uuid not null, "connection_id" uuid not null, "name" text not null, "part" text not null, "definition" text not null, "definition_hash" text not null, "accepted_hash" text not null, "position" int null, primary key ("tenant_id", "connection_id", "name"));`);

    this.addSql(`alter table "integration"."listed_servers" enable row level security;`);
    this.addSql(`alter table "integration"."listed_servers" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."listed_servers" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "integration"."tools" enable row level security;`);
    this.addSql(`alter table "integration"."tools" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."tools" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."listed_servers" cascade;`);
    this.addSql(`drop table if exists "integration"."tools" cascade;`);
  }

}
