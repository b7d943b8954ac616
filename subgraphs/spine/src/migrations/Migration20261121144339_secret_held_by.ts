import { Migration } from '@mikro-orm/migrations';

export class Migration20261121144339_secret_held_by extends Migration {

  override name = 'Migration20261121144339_secret_held_by';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" add "secret_held_by" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" drop column "secret_held_by";`);
  }

}
