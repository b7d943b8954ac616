import { Migration } from '@mikro-orm/migrations';

export class Migration20261123012019_provider_drivers extends Migration {

  override name = 'Migration20261123012019_provider_drivers';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."providers" add "preset" text null, add "driver" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."providers" drop column "preset", drop column "driver";`);
  }

}
