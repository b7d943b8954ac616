import { addForeignKeys, dropForeignKeys } from "@factory/runtime/db/table-references";
import { Migration } from '@mikro-orm/migrations';

const keys = {
  "repository_refs.repository_id": {
    "to": "repositories.repository_id",
    "onDelete": "cascade"
  },
  "repository_packs.repository_id": {
    "to": "repositories.repository_id",
    "onDelete": "cascade"
  },
  "repository_chunks.pack_id": {
    "to": "repository_packs.pack_id",
    "onDelete": "cascade"
  }
} as const;

export class Migration20261129064816_repository_keys extends Migration {

  override name = 'Migration20261129064816_repository_keys';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void | Promise<void> {
    for (const sql of addForeignKeys("catalog", keys)) this.addSql(sql);
  }

  override down(): void | Promise<void> {
    for (const sql of dropForeignKeys("catalog", keys)) this.addSql(sql);
  }

}
