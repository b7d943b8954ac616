import { Migration } from '@mikro-orm/migrations';

export class Migration20261121105832_search extends Migration {

  override name = 'Migration20261121105832_search';

  override up(): void | Promise<void> {
    this.addSql(`create table "catalog"."api_clients" ("tenant_id" uuid not null, "provider_id" uuid not null, "api_client_id" uuid null, "key" text null, "display_name" text null, "category" text null, "capabilities" text[] not null, "status" text not null, "status_since" timestamptz not null, "status_event_id" uuid not null, primary key ("tenant_id", "provider_id"));`);
    this.addSql(`alter table "catalog"."api_clients" add constraint "api_clients_id" unique ("tenant_id", "api_client_id");`);

    this.addSql(`create table "catalog"."search_entries" ("tenant_id" uuid not null, "entry_id" uuid not null, "source" text not null, "name_key" text collate "C" not null, "area_key" text null, "owner_key" text null, "tags" text[] not null, "status" text not null, "frameworks" text[] not null, "versioned" boolean not null, primary key ("tenant_id", "entry_id"));`);
    this.addSql(`create index "search_entries_owner" on "catalog"."search_entries" ("tenant_id", "owner_key");`);
    this.addSql(`create index "search_entries_area" on "catalog"."search_entries" ("tenant_id", "area_key");`);

    this.addSql(`create table "catalog"."search_frameworks" ("tenant_id" uuid not null, "framework" text not null, primary key ("tenant_id", "framework"));`);

    this.addSql(`create table "catalog"."search_terms" ("tenant_id" uuid not null, "kind" smallint not null, "term" text collate "C" not null, "entry_id" uuid not null, "places" bit(128) not null, primary key ("tenant_id", "kind", "term", "entry_id", "places"));`);

    this.addSql(`create table "catalog"."search_words" ("tenant_id" uuid not null, "spelling" text not null, "word" text not null, primary key ("tenant_id", "spelling", "word"));`);

    this.addSql(`drop index "catalog"."libraries_capability_tokens";`);
    this.addSql(`alter table "catalog"."libraries" drop column "capability_tokens";`);

    this.addSql(`alter table "catalog"."api_clients" enable row level security;`);
    this.addSql(`alter table "catalog"."api_clients" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."api_clients" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."search_entries" enable row level security;`);
    this.addSql(`alter table "catalog"."search_entries" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."search_entries" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."search_frameworks" enable row level security;`);
    this.addSql(`alter table "catalog"."search_frameworks" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."search_frameworks" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."search_terms" enable row level security;`);
    this.addSql(`alter table "catalog"."search_terms" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."search_terms" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."search_words" enable row level security;`);
    this.addSql(`alter table "catalog"."search_words" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."search_words" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "catalog"."api_clients" cascade;`);
    this.addSql(`drop table if exists "catalog"."search_entries" cascade;`);
    this.addSql(`drop table if exists "catalog"."search_frameworks" cascade;`);
    this.addSql(`drop table if exists "catalog"."search_terms" cascade;`);
    this.addSql(`drop table if exists "catalog"."search_words" cascade;`);

    this.addSql(`alter table "catalog"."libraries" add "capability_tokens" text[] not null;`);
    this.addSql(`create index "libraries_capability_tokens" on "catalog"."libraries" using gin ("capability_tokens");`);
  }

}
