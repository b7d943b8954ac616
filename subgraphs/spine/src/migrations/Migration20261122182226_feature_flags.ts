import { Migration } from '@mikro-orm/migrations';

export class Migration20261122182226_feature_flags extends Migration {

  override name = 'Migration20261122182226_feature_flags';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."feature_flags" ("tenant_id" uuid not null, "key" text not null, "enabled" boolean not null, "rollout_percentage" int not null, "description" text null, "stickiness" text not null, "rules" jsonb not null, "version" int not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, "updated_by" text not null, primary key ("tenant_id", "key"));`);
    this.addSql(`create index "feature_flags_by_change" on "spine"."feature_flags" ("tenant_id", "updated_at", "key");`);

    this.addSql(`create table "spine"."feature_flag_sets" ("tenant_id" uuid not null, "version" int not null, "flag_count" int not null, "value_count" int not null, "changed_at" timestamptz not null, primary key ("tenant_id"));`);
    this.addSql(`create index "feature_flag_sets_since" on "spine"."feature_flag_sets" ("changed_at");`);

    this.addSql(`create table "spine"."feature_flag_versions" ("tenant_id" uuid not null, "key" text not null, "version" int not null, "change" text not null, "enabled" boolean not null, "rollout_percentage" int not null, "description" text null, "stickiness" text not null, "rules" jsonb not null, "changed_at" timestamptz not null, "changed_by" text not null, primary key ("tenant_id", "key", "version"));`);
    this.addSql(`create index feature_flag_versions_deleted on feature_flag_versions (tenant_id, changed_at, key) where change = 'Deleted';`);

    this.addSql(`alter table "spine"."feature_flags" enable row level security;`);
    this.addSql(`alter table "spine"."feature_flags" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."feature_flags" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "spine"."feature_flag_sets" enable row level security;`);
    this.addSql(`alter table "spine"."feature_flag_sets" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."feature_flag_sets" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "waiting" on "spine"."feature_flag_sets" for select to "platform_worker" using (true);`);

    this.addSql(`alter table "spine"."feature_flag_versions" enable row level security;`);
    this.addSql(`alter table "spine"."feature_flag_versions" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."feature_flag_versions" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."feature_flags" cascade;`);
    this.addSql(`drop table if exists "spine"."feature_flag_sets" cascade;`);
    this.addSql(`drop table if exists "spine"."feature_flag_versions" cascade;`);
  }

}
