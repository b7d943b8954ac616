import { Migration } from '@mikro-orm/migrations';

export class Migration20261128190000_schema_origins extends Migration {

  override name = 'Migration20261128190000_schema_origins';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog"."template_versions" add column "parameter_schema_origin" text not null default 'Given';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "catalog"."template_versions" drop column "parameter_schema_origin";`);
  }

}
