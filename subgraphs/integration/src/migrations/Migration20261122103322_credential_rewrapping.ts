import { Migration } from '@mikro-orm/migrations';

export class Migration20261122103322_credential_rewrapping extends Migration {

  override name = 'Migration20261122103322_credential_rewrapping';

  override up(): void | Promise<void> {
    this.addSql(`create policy "waiting" on "integration"."credential_versions" for select to "platform_worker" using (wrapped_key is not null);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop policy "waiting" on "integration"."credential_versions";`);
  }

}
