import { Migration } from '@mikro-orm/migrations';

export class Migration20261121133131_client_tokens_from extends Migration {

  override name = 'Migration20261121133131_client_tokens_from';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" add "tokens_from" timestamptz null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" drop column "tokens_from";`);
  }

}
