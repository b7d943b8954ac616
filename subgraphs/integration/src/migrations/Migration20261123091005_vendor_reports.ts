import { Migration } from '@mikro-orm/migrations';

export class Migration20261123091005_vendor_reports extends Migration {

  override name = 'Migration20261123091005_vendor_reports';

  override up(): void | Promise<void> {
    this.addSql(`create index "vendor_commands_open" on "integration"."vendor_commands" ("tenant_id", "provider_id") where status = 'Accepted';`);
    this.addSql(`create index "vendor_commands_of_vendor" on "integration"."vendor_commands" ("tenant_id", "provider_id", "vendor_reference") where vendor_reference is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "integration"."vendor_commands_open";`);
    this.addSql(`drop index "integration"."vendor_commands_of_vendor";`);
  }

}
