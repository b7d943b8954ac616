import { Migration } from '@mikro-orm/migrations';

export class Migration20261121075523_retention extends Migration {

  override name = 'Migration20261121075523_retention';

  override up(): void | Promise<void> {
    this.addSql(`create policy "expired" on "spine"."idempotency_records" to "platform_worker" using (created_at <= now() - interval '24 hours');`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "expired" on "spine"."idempotency_records";`);
  }

}
