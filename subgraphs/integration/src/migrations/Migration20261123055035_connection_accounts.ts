import { Migration } from '@mikro-orm/migrations';

export class Migration20261123055035_connection_accounts extends Migration {

  override name = 'Migration20261123055035_connection_accounts';

  override up(): void | Promise<void> {
    this.addSql(`create index "connections_of_account" on "integration"."connections" ("tenant_id", "provider_id", "external_account_id") where status <> 'Deleted' and external_account_id is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "integration"."connections_of_account";`);
  }

}
