import { Migration } from '@mikro-orm/migrations';

export class Migration20261128191717_dependency_scans extends Migration {

  override name = 'Migration20261128191717_dependency_scans';

  override up(): void | Promise<void> {
    this.addSql(`create table "catalog"."advisories" ("tenant_id" uuid not null, "advisory_id" text not null, "summary" text null, "aliases" text[] not null, "severity" text null, "url" text null, "modified_at" timestamptz not null, "withdrawn_at" timestamptz null, "imported_at" timestamptz not null, primary key ("tenant_id", "advisory_id"));`);

    this.addSql(`create table "catalog"."advisory_packages" ("tenant_id" uuid not null, "package_key" text not null, "advisory_id" text not null, "package_name" text not null, "severity" text null, "intervals" jsonb not null, "versions" text[] not null, primary key ("tenant_id", "package_key", "advisory_id"));`);
    this.addSql(`create index "advisory_packages_advisory" on "catalog"."advisory_packages" ("tenant_id", "advisory_id");`);

    this.addSql(`create table "catalog"."dependency_scans" ("tenant_id" uuid not null, "dependency_scan_id" uuid not null, "template_version_id" uuid null, "template_name" text null, "semantic_version" text null, "render_digest" text null, "content_digest" text null, "runtime" text null, "libraries" jsonb null, "packages" jsonb not null, "limits" text[] not null, "package_count" int not null, "unknown_count" int not null, "vulnerability_counts" jsonb not null, "scanned_at" timestamptz not null, primary key ("tenant_id", "dependency_scan_id"));`);
    this.addSql(`create index "dependency_scans_version" on "catalog"."dependency_scans" ("tenant_id", "template_version_id", "dependency_scan_id");`);

    this.addSql(`alter table "catalog"."library_versions" add "license" jsonb null;`);

    this.addSql(`alter table "catalog"."advisories" enable row level security;`);
    this.addSql(`alter table "catalog"."advisories" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."advisories" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."advisory_packages" enable row level security;`);
    this.addSql(`alter table "catalog"."advisory_packages" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."advisory_packages" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."dependency_scans" enable row level security;`);
    this.addSql(`alter table "catalog"."dependency_scans" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."dependency_scans" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "catalog"."advisories" cascade;`);
    this.addSql(`drop table if exists "catalog"."advisory_packages" cascade;`);
    this.addSql(`drop table if exists "catalog"."dependency_scans" cascade;`);

    this.addSql(`alter table "catalog"."library_versions" drop column "license";`);
  }

}
