import { Migration } from '@mikro-orm/migrations';

export class Migration20261121123322_provider_status_reason extends Migration {

  override name = 'Migration20261121123322_provider_status_reason';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."providers" add "status_reason" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."providers" drop column "status_reason";`);
  }

}
