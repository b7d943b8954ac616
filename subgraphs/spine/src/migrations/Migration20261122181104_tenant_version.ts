import { Migration } from '@mikro-orm/migrations';

export class Migration20261122181104_tenant_version extends Migration {

  override name = 'Migration20261122181104_tenant_version';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."tenants" add "version" bigint not null default '1', add "changed_at" timestamptz not null default clock_timestamp();`);
    this.addSql(`create index "tenants_by_change" on "spine"."tenants" ("changed_at", "tenant_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "spine"."tenants_by_change";`);
    this.addSql(`alter table "spine"."tenants" drop column "version", drop column "changed_at";`);
  }

}
