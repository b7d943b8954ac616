import { Migration } from '@mikro-orm/migrations';

export class Migration20261123021917_routine_runs extends Migration {

  override name = 'Migration20261123021917_routine_runs';

  override up(): void | Promise<void> {
    this.addSql(`create index "runs_routine" on "integration"."runs" ("completed_at") where operation = 'CheckHealth' and status = 'Completed' and requested_by = 'system';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "integration"."runs_routine";`);
  }

}
