import { addForeignKeys, dropForeignKeys } from "@factory/runtime/db/table-references";
import { Migration } from '@mikro-orm/migrations';

const keys = {
  "template_versions.template_id": {
    "to": "templates.template_id",
    "onDelete": "no action"
  },
  "library_versions.library_id": {
    "to": "libraries.library_id",
    "onDelete": "no action"
  },
  "executions.template_version_id": {
    "to": "template_versions.template_version_id",
    "onDelete": "no action"
  },
  "execution_changes.execution_id": {
    "to": "executions.execution_id",
    "onDelete": "cascade"
  },
  "scaffold_files.scaffold_output_id": {
    "to": "executions.scaffold_output_id",
    "onDelete": "cascade"
  },
  "validation_results.template_version_id": {
    "to": "template_versions.template_version_id",
    "onDelete": "cascade"
  }
} as const;

export class Migration20261122104303_foreign_keys extends Migration {

  override name = 'Migration20261122104303_foreign_keys';

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
