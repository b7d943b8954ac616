import { Migration } from '@mikro-orm/migrations';

export class Migration20261128192000_template_descriptions extends Migration {

  override name = 'Migration20261128192000_template_descriptions';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog"."templates" add "description" text null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "catalog"."templates" drop column "description";`);
  }

}
