import { Migration } from '@mikro-orm/migrations';

export class Migration20261128190000_refused_deliveries extends Migration {

  override name = 'Migration20261128190000_refused_deliveries';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."refused_deliveries" ("tenant_id" uuid not null, "resource_id" uuid not null, "count" bigint not null, "last_reason" text not null, "first_refused_at" timestamptz(3) not null, "last_refused_at" timestamptz(3) not null, primary key ("tenant_id", "resource_id"));`);
    this.addSql(`create index "refused_deliveries_at" on "integration"."refused_deliveries" ("last_refused_at");`);

    this.addSql(`alter table "integration"."refused_deliveries" enable row level security;`);
    this.addSql(`alter table "integration"."refused_deliveries" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."refused_deliveries" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "integration"."refused_deliveries" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."refused_deliveries" cascade;`);
  }

}
