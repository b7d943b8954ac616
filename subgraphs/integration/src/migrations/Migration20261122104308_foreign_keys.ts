import { addForeignKeys, dropForeignKeys } from "@factory/runtime/db/table-references";
import { Migration } from '@mikro-orm/migrations';

const keys = {
  "credential_versions.credential_id": {
    "to": "credentials.credential_id",
    "onDelete": "cascade"
  },
  "webhook_subscriptions.credential_id": {
    "to": "credentials.credential_id",
    "onDelete": "no action"
  },
  "webhook_messages.subscription_id": {
    "to": "webhook_subscriptions.subscription_id",
    "onDelete": "no action"
  },
  "webhook_attempts.message_id": {
    "to": "webhook_messages.message_id",
    "onDelete": "cascade"
  }
} as const;

export class Migration20261122104308_foreign_keys extends Migration {

  override name = 'Migration20261122104308_foreign_keys';

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
