import { Migration } from '@mikro-orm/migrations';

export class Migration20261122103117_list_orders extends Migration {

  override name = 'Migration20261122103117_list_orders';

  override up(): void | Promise<void> {
    this.addSql(`create index "providers_by_registration" on "integration"."providers" ("tenant_id", "registered_at", "provider_id");`);
    this.addSql(`create index "providers_by_display_name" on "integration"."providers" ("tenant_id", "display_name", "provider_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "integration"."providers_by_registration";`);
    this.addSql(`drop index "integration"."providers_by_display_name";`);
  }

}
