import { addForeignKeys, dropForeignKeys } from "@factory/runtime/db/table-references";
import { Migration } from '@mikro-orm/migrations';

const keys = {
  "webhook_subscriptions.provider_id": {
    "to": "providers.provider_id",
    "onDelete": "no action"
  }
} as const;

export class Migration20261123011913_inbound_subscription_keys extends Migration {

  override name = 'Migration20261123011913_inbound_subscription_keys';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    for (const sql of addForeignKeys("integration", keys)) this.addSql(sql);
  }

  override down(): void | Promise<void> {
    for (const sql of dropForeignKeys("integration", keys)) this.addSql(sql);
  }

}
