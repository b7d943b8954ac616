import { Migration } from '@mikro-orm/migrations';

export class Migration20261122104146_template_details extends Migration {

  override name = 'Migration20261122104146_template_details';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog"."template_versions" add "template_identity" text null, add "template_language" text null, add "template_type" text null, add "details" jsonb null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "catalog"."template_versions" drop column "template_identity", drop column "template_language", drop column "template_type", drop column "details";`);
  }

}
