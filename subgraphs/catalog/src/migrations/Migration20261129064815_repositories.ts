import { Migration } from '@mikro-orm/migrations';

export class Migration20261129064815_repositories extends Migration {

  override name = 'Migration20261129064815_repositories';

  override up(): void | Promise<void> {
    this.addSql(`create table "catalog"."repositories" ("tenant_id" uuid not null, "repository_id" uuid not null, "owner" text not null, "name" text not null, "head" text not null, "version" int not null, "bytes" bigint not null, "pack_count" int not null, "crowded_at" timestamptz null, "locked_by" text null, "locked_until" timestamptz null, primary key ("tenant_id", "repository_id"));`);
    this.addSql(`create index repositories_swept on repositories (repository_id) where crowded_at is not null;`);
    this.addSql(`alter table "catalog"."repositories" add constraint "repositories_place" unique ("tenant_id", "owner", "name");`);

    this.addSql(`create table "catalog"."repository_chunks" ("tenant_id" uuid not null, "pack_id" uuid not null, "position" int not null, "content" bytea not null, primary key ("tenant_id", "pack_id", "position"));`);
    // The bytes of packs are compressed already.
    this.addSql(`alter table "catalog"."repository_chunks" alter column "content" set storage external;`);

    this.addSql(`create table "catalog"."repository_packs" ("tenant_id" uuid not null, "pack_id" uuid not null, "repository_id" uuid not null, "checksum" text not null, "bytes" bigint not null, "expires_at" timestamptz null, primary key ("tenant_id", "pack_id"));`);
    this.addSql(`create index repository_packs_expiry on repository_packs (expires_at) where expires_at is not null;`);
    this.addSql(`create index "repository_packs_repository" on "catalog"."repository_packs" ("tenant_id", "repository_id");`);

    this.addSql(`create table "catalog"."repository_refs" ("tenant_id" uuid not null, "repository_id" uuid not null, "name" text not null, "object_id" text not null, primary key ("tenant_id", "repository_id", "name"));`);

    this.addSql(`alter table "catalog"."repositories" enable row level security;`);
    this.addSql(`alter table "catalog"."repositories" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."repositories" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "waiting" on "catalog"."repositories" for select to "platform_worker" using (crowded_at is not null);`);

    this.addSql(`alter table "catalog"."repository_chunks" enable row level security;`);
    this.addSql(`alter table "catalog"."repository_chunks" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."repository_chunks" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."repository_packs" enable row level security;`);
    this.addSql(`alter table "catalog"."repository_packs" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."repository_packs" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "expired" on "catalog"."repository_packs" to "platform_worker" using (expires_at < now());`);

    this.addSql(`alter table "catalog"."repository_refs" enable row level security;`);
    this.addSql(`alter table "catalog"."repository_refs" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."repository_refs" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "catalog"."repositories" cascade;`);
    this.addSql(`drop table if exists "catalog"."repository_chunks" cascade;`);
    this.addSql(`drop table if exists "catalog"."repository_packs" cascade;`);
    this.addSql(`drop table if exists "catalog"."repository_refs" cascade;`);
  }

}
