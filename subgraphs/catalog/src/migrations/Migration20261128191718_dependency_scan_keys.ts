import { addForeignKeys, dropForeignKeys } from "@factory/runtime/db/table-references";
import { Migration } from '@mikro-orm/migrations';

const keys = {
  "advisory_packages.advisory_id": {
    "to": "advisories.advisory_id",
    "onDelete": "cascade"
  },
  "dependency_scans.template_version_id": {
    "to": "template_versions.template_version_id",
    "onDelete": "cascade"
  }
} as const;

export class Migration20261128191718_dependency_scan_keys extends Migration {

  override name = 'Migration20261128191718_dependency_scan_keys';

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
