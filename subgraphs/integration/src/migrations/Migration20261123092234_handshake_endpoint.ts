import { Migration } from '@mikro-orm/migrations';

export class Migration20261123092234_handshake_endpoint extends Migration {

  override name = 'Migration20261123092234_handshake_endpoint';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."webhook_subscriptions" add "handshake_url" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."webhook_subscriptions" drop column "handshake_url";`);
  }

}
