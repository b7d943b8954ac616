import { Migration } from '@mikro-orm/migrations';

export class Migration20261121125639_role_assignment_expiry extends Migration {

  override name = 'Migration20261121125639_role_assignment_expiry';

  override up(): void | Promise<void> {
    this.addSql(`create index role_assignments_expiry on role_assignments (expires_at) where expires_at is not null;`);
    this.addSql(`create policy "expired" on "spine"."role_assignments" to "platform_worker" using (expires_at <= now());`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "expired" on "spine"."role_assignments";`);

    this.addSql(`drop index "spine"."role_assignments_expiry";`);
  }

}
