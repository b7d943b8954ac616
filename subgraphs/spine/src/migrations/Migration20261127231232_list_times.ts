import { Migration } from '@mikro-orm/migrations';

export class Migration20261127231232_list_times extends Migration {

  override name = 'Migration20261127231232_list_times';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."approvals" alter column "requested_at" type timestamptz(3) using ("requested_at"::timestamptz(3));`);
    this.addSql(`alter table "spine"."configuration_entries" alter column "updated_at" type timestamptz(3) using ("updated_at"::timestamptz(3));`);
    this.addSql(`alter table "spine"."feature_flags" alter column "updated_at" type timestamptz(3) using ("updated_at"::timestamptz(3));`);
    this.addSql(`alter table "spine"."invitations" alter column "expires_at" type timestamptz(3) using ("expires_at"::timestamptz(3));`);
    this.addSql(`alter table "spine"."invitations" alter column "created_at" type timestamptz(3) using ("created_at"::timestamptz(3));`);
    this.addSql(`alter table "spine"."api_clients" alter column "created_at" type timestamptz(3) using ("created_at"::timestamptz(3));`);
    this.addSql(`alter table "spine"."plan_subscriptions" alter column "created_at" type timestamptz(3) using ("created_at"::timestamptz(3));`);
    this.addSql(`alter table "spine"."report_definitions" alter column "created_at" type timestamptz(3) using ("created_at"::timestamptz(3));`);
    this.addSql(`alter table "spine"."roles" alter column "created_at" type timestamptz(3) using ("created_at"::timestamptz(3));`);
    this.addSql(`alter table "spine"."role_assignments" alter column "assigned_at" type timestamptz(3) using ("assigned_at"::timestamptz(3));`);
    this.addSql(`alter table "spine"."tenants" alter column "created_at" type timestamptz(3) using ("created_at"::timestamptz(3));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" alter column "created_at" type timestamptz(6) using ("created_at"::timestamptz(6));`);
    this.addSql(`alter table "spine"."approvals" alter column "requested_at" type timestamptz(6) using ("requested_at"::timestamptz(6));`);
    this.addSql(`alter table "spine"."configuration_entries" alter column "updated_at" type timestamptz(6) using ("updated_at"::timestamptz(6));`);
    this.addSql(`alter table "spine"."feature_flags" alter column "updated_at" type timestamptz(6) using ("updated_at"::timestamptz(6));`);
    this.addSql(`alter table "spine"."invitations" alter column "expires_at" type timestamptz(6) using ("expires_at"::timestamptz(6));`);
    this.addSql(`alter table "spine"."invitations" alter column "created_at" type timestamptz(6) using ("created_at"::timestamptz(6));`);
    this.addSql(`alter table "spine"."plan_subscriptions" alter column "created_at" type timestamptz(6) using ("created_at"::timestamptz(6));`);
    this.addSql(`alter table "spine"."report_definitions" alter column "created_at" type timestamptz(6) using ("created_at"::timestamptz(6));`);
    this.addSql(`alter table "spine"."role_assignments" alter column "assigned_at" type timestamptz(6) using ("assigned_at"::timestamptz(6));`);
    this.addSql(`alter table "spine"."roles" alter column "created_at" type timestamptz(6) using ("created_at"::timestamptz(6));`);
    this.addSql(`alter table "spine"."tenants" alter column "created_at" type timestamptz(6) using ("created_at"::timestamptz(6));`);
  }

}
