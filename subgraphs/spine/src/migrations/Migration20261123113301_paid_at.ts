import { Migration } from '@mikro-orm/migrations';

export class Migration20261123113301_paid_at extends Migration {

  override name = 'Migration20261123113301_paid_at';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."plan_subscriptions" add "paid_at" timestamptz null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."plan_subscriptions" drop column "paid_at";`);
  }

}
