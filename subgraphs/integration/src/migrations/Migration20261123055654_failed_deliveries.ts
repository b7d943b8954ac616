import { Migration } from '@mikro-orm/migrations';

export class Migration20261123055654_failed_deliveries extends Migration {

  override name = 'Migration20261123055654_failed_deliveries';

  override up(): void | Promise<void> {
    this.addSql(`create index "webhook_deliveries_failed" on "integration"."webhook_deliveries" ("tenant_id", "received_at", "delivery_id") where status in ('Failed', 'DeadLettered');`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "integration"."webhook_deliveries_failed";`);
  }

}
