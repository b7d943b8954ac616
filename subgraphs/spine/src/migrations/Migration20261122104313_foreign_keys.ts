import { addForeignKeys, dropForeignKeys } from "@factory/runtime/db/table-references";
import { Migration } from '@mikro-orm/migrations';

const keys = {
  "role_assignments.role_id": {
    "to": "roles.role_id",
    "onDelete": "no action"
  }
} as const;

export class Migration20261122104313_foreign_keys extends Migration {

  override name = 'Migration20261122104313_foreign_keys';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    for (const sql of addForeignKeys("spine", keys)) this.addSql(sql);
  }

  override down(): void | Promise<void> {
    for (const sql of dropForeignKeys("spine", keys)) this.addSql(sql);
  }

}
