import { Migration } from '@mikro-orm/migrations';

export class Migration20261122181652_editions extends Migration {

  override name = 'Migration20261122181652_editions';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."editions" ("code" text not null, "name" text not null, "description" text null, "trial_days" int not null, "features" jsonb not null, "active" boolean not null, "version" int not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("code"));`);

    this.addSql(`create table "spine"."edition_versions" ("code" text not null, "version" int not null, "name" text not null, "description" text null, "trial_days" int not null, "features" jsonb not null, "active" boolean not null, "changed_at" timestamptz not null, "changed_by" text not null, "reverted_from" int null, primary key ("code", "version"));`);

    this.addSql(`alter table "spine"."editions" enable row level security;`);
    this.addSql(`alter table "spine"."editions" force row level security;`);
    this.addSql(`create policy "worker" on "spine"."editions" to "platform_worker" using (true) with check (true);`);
    this.addSql(`create policy "platform" on "spine"."editions" using (current_setting('app.platform', true) = 'on') with check (current_setting('app.platform', true) = 'on');`);
    this.addSql(`create policy "readable" on "spine"."editions" for select using (true);`);

    this.addSql(`alter table "spine"."edition_versions" enable row level security;`);
    this.addSql(`alter table "spine"."edition_versions" force row level security;`);
    this.addSql(`create policy "worker" on "spine"."edition_versions" to "platform_worker" using (true) with check (true);`);
    this.addSql(`create policy "platform" on "spine"."edition_versions" using (current_setting('app.platform', true) = 'on') with check (current_setting('app.platform', true) = 'on');`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."editions" cascade;`);
    this.addSql(`drop table if exists "spine"."edition_versions" cascade;`);
  }

}
