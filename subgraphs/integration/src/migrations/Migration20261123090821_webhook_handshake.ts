import { Migration } from '@mikro-orm/migrations';

export class Migration20261123090821_webhook_handshake extends Migration {

  override name = 'Migration20261123090821_webhook_handshake';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."webhook_subscriptions" add "handshake" text null, add "handshake_since" timestamptz null, add "handshake_attempts" int not null default 0, add "handshake_next_at" timestamptz null, add "handshake_detail" text null, add "allowed_per_minute" int null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."webhook_subscriptions" drop column "handshake", drop column "handshake_since", drop column "handshake_attempts", drop column "handshake_next_at", drop column "handshake_detail", drop column "allowed_per_minute";`);
  }

}
