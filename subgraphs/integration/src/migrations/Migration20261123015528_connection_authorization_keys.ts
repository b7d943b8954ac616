import { addForeignKeys, dropForeignKeys } from "@factory/runtime/db/table-references";
import { Migration } from '@mikro-orm/migrations';

const keys = {
  "connection_authorizations.connection_id": {
    "to": "connections.connection_id",
    "onDelete": "cascade"
  }
} as const;

export class Migration20261123015528_connection_authorization_keys extends Migration {

  override name = 'Migration20261123015528_connection_authorization_keys';

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
