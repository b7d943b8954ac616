import { Migration } from '@mikro-orm/migrations';

export class Migration20261121142212_client_keys extends Migration {

  override name = 'Migration20261121142212_client_keys';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" add "jwks" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" drop column "jwks";`);
  }

}
