import { Migration } from '@mikro-orm/migrations';

export class Migration20261128073406_left_out_tools extends Migration {

  override name = 'Migration20261128073406_left_out_tools';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."listed_servers" add "left_out" jsonb not null default '[]';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."listed_servers" drop column "left_out";`);
  }

}
