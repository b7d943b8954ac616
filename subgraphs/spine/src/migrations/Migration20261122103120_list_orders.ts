import { Migration } from '@mikro-orm/migrations';

export class Migration20261122103120_list_orders extends Migration {

  override name = 'Migration20261122103120_list_orders';

  override up(): void | Promise<void> {
    this.addSql(`create index "api_clients_by_name" on "spine"."api_clients" ("tenant_id", "name", "client_id");`);
    this.addSql(`create index "api_clients_page" on "spine"."api_clients" ("tenant_id", "created_at", "client_id");`);

    this.addSql(`create index "invitations_by_expiry" on "spine"."invitations" ("tenant_id", "expires_at", "invitation_id");`);
    this.addSql(`create index "invitations_by_email" on "spine"."invitations" ("tenant_id", "email_key", "invitation_id");`);

    this.addSql(`create index "roles_by_name" on "spine"."roles" ("tenant_id", "name", "role_id");`);
    this.addSql(`create index "roles_by_code" on "spine"."roles" ("tenant_id", "code", "role_id");`);

    this.addSql(`create index "tenants_by_name" on "spine"."tenants" ("name", "tenant_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "spine"."api_clients_by_name";`);
    this.addSql(`drop index "spine"."api_clients_page";`);

    this.addSql(`drop index "spine"."invitations_by_expiry";`);
    this.addSql(`drop index "spine"."invitations_by_email";`);

    this.addSql(`drop index "spine"."roles_by_name";`);
    this.addSql(`drop index "spine"."roles_by_code";`);

    this.addSql(`drop index "spine"."tenants_by_name";`);
  }

}
