import { Migration } from '@mikro-orm/migrations';

export class Migration20261121125328_users_and_invitations extends Migration {

  override name = 'Migration20261121125328_users_and_invitations';

  override up(): void | Promise<void> {
    this.addSql(`create index "role_assignments_holders" on "spine"."role_assignments" ("tenant_id", "role_id", "principal_id");`);

    this.addSql(`alter table "spine"."tenants" add "owner_invitation_id" uuid null, add "provisioned_steps" text[] not null default '{}';`);

    this.addSql(`drop index "spine"."users_page";`);
    this.addSql(`create index users_name_prefix on users (tenant_id, lower(display_name) text_pattern_ops) where status <> 'Deleted';`);
    this.addSql(`create index users_email_prefix on users (tenant_id, email_key text_pattern_ops) where status <> 'Deleted';`);
    this.addSql(`create index "users_status" on "spine"."users" ("tenant_id", "status", "user_id");`);
    this.addSql(`create index users_listed on users (tenant_id, user_id) where status <> 'Deleted';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "spine"."role_assignments_holders";`);

    this.addSql(`alter table "spine"."tenants" drop column "owner_invitation_id", drop column "provisioned_steps";`);

    this.addSql(`drop index "spine"."users_name_prefix";`);
    this.addSql(`drop index "spine"."users_email_prefix";`);
    this.addSql(`drop index "spine"."users_status";`);
    this.addSql(`drop index "spine"."users_listed";`);
    this.addSql(`create index "users_page" on "spine"."users" ("tenant_id", "created_at", "user_id");`);
  }

}
