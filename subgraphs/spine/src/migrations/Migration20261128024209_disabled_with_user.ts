import { Migration } from '@mikro-orm/migrations';

export class Migration20261128024209_disabled_with_user extends Migration {

  override name = 'Migration20261128024209_disabled_with_user';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" add "disabled_with" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" drop column "disabled_with";`);
  }

}
