import { Migration } from '@mikro-orm/migrations';

export class Migration20261130144732_provisioning_run_reads extends Migration {

  override name = 'Migration20261130144732_provisioning_run_reads';

  override up(): void | Promise<void> {
    this.addSql(`create index "provisioning_runs_by_id" on "spine"."provisioning_runs" ("run_id");`);
    this.addSql(`create policy "platform" on "spine"."provisioning_runs" for select using (current_setting('app.platform', true) = 'on');`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "platform" on "spine"."provisioning_runs";`);

    this.addSql(`drop index "spine"."provisioning_runs_by_id";`);
  }

}
