import { Migration } from '@mikro-orm/migrations';

export class Migration20261121124727_system_roles_digest extends Migration {

  override name = 'Migration20261121124727_system_roles_digest';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."tenants" add "system_roles_digest" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."tenants" drop column "system_roles_digest";`);
  }

}
