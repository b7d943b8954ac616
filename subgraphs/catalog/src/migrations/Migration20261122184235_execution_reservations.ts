import { Migration } from '@mikro-orm/migrations';

export class Migration20261122184235_execution_reservations extends Migration {

  override name = 'Migration20261122184235_execution_reservations';

  override up(): void | Promise<void> {
    this.addSql(`create table "catalog"."execution_reservations" ("tenant_id" uuid not null, "execution_id" uuid not null, "reserved_at" timestamptz not null, "is_ending" boolean not null, primary key ("tenant_id", "execution_id"));`);
    this.addSql(`create index "execution_reservations_swept" on "catalog"."execution_reservations" ("execution_id");`);

    this.addSql(`alter table "catalog"."execution_reservations" enable row level security;`);
    this.addSql(`alter table "catalog"."execution_reservations" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."execution_reservations" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "waiting" on "catalog"."execution_reservations" for select to "platform_worker" using (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "catalog"."execution_reservations" cascade;`);
  }

}
