import { Migration } from '@mikro-orm/migrations';

export class Migration20261121125948_user_ids extends Migration {

  override name = 'Migration20261121125948_user_ids';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."users" add constraint "users_user_id" unique ("user_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."users" drop constraint "users_user_id";`);
  }

}
