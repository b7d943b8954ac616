import { Migration } from '@mikro-orm/migrations';

export class Migration20261123052116_connection_retention extends Migration {

  override name = 'Migration20261123052116_connection_retention';

  override up(): void | Promise<void> {
    this.addSql(`drop policy "waiting" on "integration"."connection_tokens";`);

    this.addSql(`create index "connections_deleted_at" on "integration"."connections" ("deleted_at") where deleted_at is not null;`);

    this.addSql(`create policy "worker" on "integration"."connection_tokens" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "worker" on "integration"."connection_tokens";`);

    this.addSql(`create policy "waiting" on "integration"."connection_tokens" for select to "platform_worker" using ((wrapped_key IS NOT NULL));`);

    this.addSql(`drop index "integration"."connections_deleted_at";`);
  }

}
