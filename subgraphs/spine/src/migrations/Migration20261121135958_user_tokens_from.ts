import { Migration } from '@mikro-orm/migrations';

export class Migration20261121135958_user_tokens_from extends Migration {

  override name = 'Migration20261121135958_user_tokens_from';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."users" add "tokens_from" timestamptz null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."users" drop column "tokens_from";`);
  }

}
