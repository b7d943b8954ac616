import { Migration } from '@mikro-orm/migrations';

export class Migration20261127231155_list_times extends Migration {

  override name = 'Migration20261127231155_list_times';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog"."libraries" alter column "created_at" type timestamptz(3) using ("created_at"::timestamptz(3));`);
    this.addSql(`alter table "catalog"."templates" alter column "created_at" type timestamptz(3) using ("created_at"::timestamptz(3));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "catalog"."libraries" alter column "created_at" type timestamptz(6) using ("created_at"::timestamptz(6));`);
    this.addSql(`alter table "catalog"."templates" alter column "created_at" type timestamptz(6) using ("created_at"::timestamptz(6));`);
  }

}
