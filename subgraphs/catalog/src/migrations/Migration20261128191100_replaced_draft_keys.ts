import { addForeignKeys, dropForeignKeys } from "@factory/runtime/db/table-references";
import { Migration } from '@mikro-orm/migrations';

const keys = {
  "replaced_drafts.template_version_id": {
    "to": "template_versions.template_version_id",
    "onDelete": "cascade"
  }
} as const;

export class Migration20261128191100_replaced_draft_keys extends Migration {

  override name = 'Migration20261128191100_replaced_draft_keys';

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
