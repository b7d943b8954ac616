import { Migration } from '@mikro-orm/migrations';

export class Migration20261123051527_token_clients extends Migration {

  override name = 'Migration20261123051527_token_clients';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."connection_tokens" add "client" jsonb null, add "failed_client" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."connection_tokens" drop column "client", drop column "failed_client";`);
  }

}
