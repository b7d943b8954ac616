import { Migration } from '@mikro-orm/migrations';

export class Migration20261121130418_approvals_task extends Migration {

  override name = 'Migration20261121130418_approvals_task';

  override up(): void | Promise<void> {
    this.addSql(`create index "approvals_task" on "spine"."approvals" ("tenant_id", "agent_task_id", "agent_client_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "spine"."approvals_task";`);
  }

}
