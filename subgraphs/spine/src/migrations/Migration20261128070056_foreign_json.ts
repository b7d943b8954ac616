import { Migration } from '@mikro-orm/migrations';

/** Written by hand, since MikroORM sees no difference between json and jsonb. */
export class Migration20261128070056_foreign_json extends Migration {

  override name = 'Migration20261128070056_foreign_json';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."configuration_entries" alter column "value" type json using ("value"::json);`);
    this.addSql(`alter table "spine"."configuration_versions" alter column "value" type json using ("value"::json);`);
    this.addSql(`alter table "spine"."notification_messages" alter column "data" type json using ("data"::json);`);
    this.addSql(`alter table "spine"."idempotency_records" alter column "result" type json using ("result"::json);`);
    this.addSql(`alter table "spine"."outbox" alter column "envelope" type json using ("envelope"::json);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."configuration_entries" alter column "value" type jsonb using ("value"::jsonb);`);
    this.addSql(`alter table "spine"."configuration_versions" alter column "value" type jsonb using ("value"::jsonb);`);
    this.addSql(`alter table "spine"."notification_messages" alter column "data" type jsonb using ("data"::jsonb);`);
    this.addSql(`alter table "spine"."idempotency_records" alter column "result" type jsonb using ("result"::jsonb);`);
    this.addSql(`alter table "spine"."outbox" alter column "envelope" type jsonb using ("envelope"::jsonb);`);
  }

}
