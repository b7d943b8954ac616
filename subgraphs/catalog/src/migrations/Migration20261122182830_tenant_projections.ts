import { Migration } from '@mikro-orm/migrations';

export class Migration20261122182830_tenant_projections extends Migration {

  override name = 'Migration20261122182830_tenant_projections';

  override up(): void | Promise<void> {
    this.addSql(`create table "catalog"."edition_projections" ("code" text not null, "version" int not null, "features" jsonb not null, primary key ("code"));`);

    this.addSql(`create table "catalog"."projection_refreshes" ("name" text not null, "changed_since_ms" bigint not null, "next_at" timestamptz not null, primary key ("name"));`);

    this.addSql(`create table "catalog"."tenant_projections" ("tenant_id" uuid not null, "version" bigint not null, "slug" text not null, "status" text not null, "edition_code" text not null, "subscription_status" text not null, "settings" jsonb not null, "limits" jsonb not null, "stored_at" timestamptz not null, primary key ("tenant_id"));`);

    this.addSql(`alter table "catalog"."edition_projections" enable row level security;`);
    this.addSql(`alter table "catalog"."edition_projections" force row level security;`);
    this.addSql(`create policy "worker" on "catalog"."edition_projections" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "catalog"."projection_refreshes" enable row level security;`);
    this.addSql(`alter table "catalog"."projection_refreshes" force row level security;`);
    this.addSql(`create policy "worker" on "catalog"."projection_refreshes" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "catalog"."tenant_projections" enable row level security;`);
    this.addSql(`alter table "catalog"."tenant_projections" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."tenant_projections" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "catalog"."tenant_projections" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "catalog"."edition_projections" cascade;`);
    this.addSql(`drop table if exists "catalog"."projection_refreshes" cascade;`);
    this.addSql(`drop table if exists "catalog"."tenant_projections" cascade;`);
  }

}
