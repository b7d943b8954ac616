import { Migration } from '@mikro-orm/migrations';

export class Migration20261122181445_tenant_limits extends Migration {

  override name = 'Migration20261122181445_tenant_limits';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."tenants" add "limits" jsonb not null default '{}';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."tenants" drop column "limits";`);
  }

}
