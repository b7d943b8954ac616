import { Migration } from '@mikro-orm/migrations';

export class Migration20261123113250_payments extends Migration {

  override name = 'Migration20261123113250_payments';

  override up(): void | Promise<void> {
    this.addSql(`drop index "integration"."vendor_commands_of_vendor";`);
    this.addSql(`alter table "integration"."vendor_commands" add "asked_at" timestamptz null, add "reported_outcome" text null, add "reported_delivery_id" uuid null;`);
    this.addSql(`create index "vendor_commands_of_vendor" on "integration"."vendor_commands" ("tenant_id", "vendor_reference", "provider_id") where vendor_reference is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "integration"."vendor_commands_of_vendor";`);
    this.addSql(`alter table "integration"."vendor_commands" drop column "asked_at", drop column "reported_outcome", drop column "reported_delivery_id";`);
    this.addSql(`create index "vendor_commands_of_vendor" on "integration"."vendor_commands" ("tenant_id", "provider_id", "vendor_reference") where vendor_reference IS NOT NULL;`);
  }

}
