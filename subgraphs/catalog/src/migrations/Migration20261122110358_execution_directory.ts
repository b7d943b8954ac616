import { Migration } from '@mikro-orm/migrations';

export class Migration20261122110358_execution_directory extends Migration {

  override name = 'Migration20261122110358_execution_directory';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog"."executions" add "directory" text not null default '', add "name_directory" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "catalog"."executions" drop column "directory", drop column "name_directory";`);
  }

}
