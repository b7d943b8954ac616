import { Migration } from '@mikro-orm/migrations';

export class Migration20261121110030_api_clients extends Migration {

  override name = 'Migration20261121110030_api_clients';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."providers" add constraint "providers_api_client" unique ("tenant_id", "api_client_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."providers" drop constraint "providers_api_client";`);
  }

}
