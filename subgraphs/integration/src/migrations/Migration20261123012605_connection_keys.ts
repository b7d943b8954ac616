import { addForeignKeys, dropForeignKeys } from "@factory/runtime/db/table-references";
import { Migration } from '@mikro-orm/migrations';

const keys = {
  "connections.provider_id": {
    "to": "providers.provider_id",
    "onDelete": "no action"
  },
  "connections.credential_id": {
    "to": "credentials.credential_id",
    "onDelete": "no action"
  },
  "connections.webhook_credential_id": {
    "to": "credentials.credential_id",
    "onDelete": "no action"
  }
} as const;

export class Migration20261123012605_connection_keys extends Migration {

  override name = 'Migration20261123012605_connection_keys';

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
