import { Migration } from '@mikro-orm/migrations';

export class Migration20261127231214_list_times extends Migration {

  override name = 'Migration20261127231214_list_times';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."connections" alter column "established_at" type timestamptz(3) using ("established_at"::timestamptz(3));`);
    this.addSql(`alter table "integration"."credentials" alter column "created_at" type timestamptz(3) using ("created_at"::timestamptz(3));`);
    this.addSql(`alter table "integration"."providers" alter column "registered_at" type timestamptz(3) using ("registered_at"::timestamptz(3));`);
    this.addSql(`alter table "integration"."webhook_subscriptions" alter column "created_at" type timestamptz(3) using ("created_at"::timestamptz(3));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."connections" alter column "established_at" type timestamptz(6) using ("established_at"::timestamptz(6));`);
    this.addSql(`alter table "integration"."credentials" alter column "created_at" type timestamptz(6) using ("created_at"::timestamptz(6));`);
    this.addSql(`alter table "integration"."providers" alter column "registered_at" type timestamptz(6) using ("registered_at"::timestamptz(6));`);
    this.addSql(`alter table "integration"."webhook_subscriptions" alter column "created_at" type timestamptz(6) using ("created_at"::timestamptz(6));`);
  }

}
