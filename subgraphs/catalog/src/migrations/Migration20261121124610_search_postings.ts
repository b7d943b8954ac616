import { Migration } from '@mikro-orm/migrations';

export class Migration20261121124610_search_postings extends Migration {

  override name = 'Migration20261121124610_search_postings';

  override up(): void | Promise<void> {
    this.addSql(`create table "catalog"."search_backlog" ("tenant_id" uuid not null, primary key ("tenant_id"));`);

    this.addSql(`create table "catalog"."search_postings" ("tenant_id" uuid not null, "kind" smallint not null, "term" text collate "C" not null, "api_client" boolean not null, "unusable" boolean not null, "name_key" text collate "C" not null, "entry_id" uuid not null, "places" bit(128) not null, primary key ("tenant_id", "kind", "term", "api_client", "unusable", "name_key", "entry_id", "places"));`);

    // the owner, too, sees rows of a tenant only, unless it is let off
    this.addSql(`alter table "catalog"."search_entries" no force row level security;`);
    this.addSql(`alter table "catalog"."search_terms" no force row level security;`);
    this.addSql(`insert into "catalog"."search_postings" (tenant_id, kind, term, api_client, unusable, name_key, entry_id, places)
      select tenant_id, kind, term, source = 'ApiClient', unusable, name_key, entry_id, places
      from "catalog"."search_terms" join "catalog"."search_entries" using (tenant_id, entry_id)
      order by tenant_id, kind, term;`);
    this.addSql(`drop table if exists "catalog"."search_terms" cascade;`);
    // a search reads the index alone where pages are known to be visible to all, which only a vacuum notes
    this.addSql(`alter table "catalog"."search_postings" set (autovacuum_vacuum_insert_scale_factor = 0.02);`);

    // last, for it keeps everybody from the libraries until the end
    this.addSql(`alter table "catalog"."libraries" no force row level security;`);
    this.addSql(`insert into "catalog"."search_backlog" (tenant_id)
      select distinct tenant_id from "catalog"."libraries" library
      where not exists (select from "catalog"."search_entries" entry
        where entry.tenant_id = library.tenant_id and entry.entry_id = library.library_id);`);
    this.addSql(`alter table "catalog"."libraries" force row level security;`);
    this.addSql(`alter table "catalog"."search_entries" force row level security;`);

    this.addSql(`alter table "catalog"."search_backlog" enable row level security;`);
    this.addSql(`alter table "catalog"."search_backlog" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."search_backlog" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "catalog"."search_backlog" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "catalog"."search_postings" enable row level security;`);
    this.addSql(`alter table "catalog"."search_postings" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."search_postings" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`create table "catalog"."search_terms" ("tenant_id" uuid not null, "kind" smallint not null, "term" text collate "C" not null, "entry_id" uuid not null, "places" bit(128) not null, primary key ("tenant_id", "kind", "term", "entry_id", "places"));`);

    this.addSql(`alter table "catalog"."search_postings" no force row level security;`);
    this.addSql(`insert into "catalog"."search_terms" (tenant_id, kind, term, entry_id, places)
      select tenant_id, kind, term, entry_id, places from "catalog"."search_postings";`);
    this.addSql(`drop table if exists "catalog"."search_backlog" cascade;`);
    this.addSql(`drop table if exists "catalog"."search_postings" cascade;`);

    this.addSql(`alter table "catalog"."search_terms" enable row level security;`);
    this.addSql(`alter table "catalog"."search_terms" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."search_terms" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

}
