import { Migration } from '@mikro-orm/migrations';

export class Migration20261122103114_list_orders extends Migration {

  override name = 'Migration20261122103114_list_orders';

  override up(): void | Promise<void> {
    this.addSql(`create index "libraries_by_creation" on "catalog"."libraries" ("tenant_id", "created_at", "library_id");`);

    this.addSql(`create index "templates_by_creation" on "catalog"."templates" ("tenant_id", "created_at", "template_id");`);

    this.addSql(`drop index "catalog"."validation_results_version";`);
    this.addSql(`create index "validation_results_version" on "catalog"."validation_results" ("tenant_id", "template_version_id", "validation_result_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "catalog"."libraries_by_creation";`);

    this.addSql(`drop index "catalog"."templates_by_creation";`);

    this.addSql(`drop index "catalog"."validation_results_version";`);
    this.addSql(`create index "validation_results_version" on "catalog"."validation_results" ("tenant_id", "template_version_id");`);
  }

}
