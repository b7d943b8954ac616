import { Migration } from '@mikro-orm/migrations';

export class Migration20261122074336_executions_waiting extends Migration {

  override name = 'Migration20261122074336_executions_waiting';

  override up(): void | Promise<void> {
    this.addSql(`create index executions_waiting on executions (execution_id) where status in ('Requested', 'Running');`);
    this.addSql(`create policy "waiting" on "catalog"."executions" for select to "platform_worker" using (status in ('Requested', 'Running'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "waiting" on "catalog"."executions";`);

    this.addSql(`drop index "catalog"."executions_waiting";`);
  }

}
