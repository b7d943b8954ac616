import { Migration } from '@mikro-orm/migrations';

export class Migration20261123050911_provider_hosts extends Migration {

  override name = 'Migration20261123050911_provider_hosts';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."providers" add "hosts_chosen_by" text[] not null default '{}';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."providers" drop column "hosts_chosen_by";`);
  }

}
