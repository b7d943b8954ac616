import { Migration } from '@mikro-orm/migrations';

export class Migration20261128190106_catalog_search extends Migration {

  override name = 'Migration20261128190106_catalog_search';

  override up(): void | Promise<void> {
    this.addSql(`create table "catalog"."catalog_documents" ("tenant_id" uuid not null, "document_id" uuid not null, "kind" text not null, "name" text not null, "name_key" text collate "C" not null, "title" text null, "description" text null, "tags" text[] not null, "capabilities" text[] not null, primary key ("tenant_id", "document_id"));`);

    this.addSql(`create table "catalog"."catalog_terms" ("tenant_id" uuid not null, "term" text collate "C" not null, "document_id" uuid not null, "weight" smallint not null, primary key ("tenant_id", "term", "document_id"));`);
    this.addSql(`create index "catalog_terms_document" on "catalog"."catalog_terms" ("tenant_id", "document_id");`);

    this.addSql(`alter table "catalog"."libraries" add "title" text null, add "description" text null, add "search_stale" boolean not null default true;`);
    this.addSql(`create index "libraries_search_stale" on "catalog"."libraries" ("tenant_id") where search_stale;`);

    this.addSql(`alter table "catalog"."templates" add "search_stale" boolean not null default true;`);
    this.addSql(`create index "templates_search_stale" on "catalog"."templates" ("tenant_id") where search_stale;`);

    this.addSql(`alter table "catalog"."catalog_documents" enable row level security;`);
    this.addSql(`alter table "catalog"."catalog_documents" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."catalog_documents" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."catalog_terms" enable row level security;`);
    this.addSql(`alter table "catalog"."catalog_terms" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."catalog_terms" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "catalog"."catalog_documents" cascade;`);
    this.addSql(`drop table if exists "catalog"."catalog_terms" cascade;`);

    this.addSql(`drop index "catalog"."libraries_search_stale";`);
    this.addSql(`alter table "catalog"."libraries" drop column "title", drop column "description", drop column "search_stale";`);

    this.addSql(`drop index "catalog"."templates_search_stale";`);
    this.addSql(`alter table "catalog"."templates" drop column "search_stale";`);
  }

}
