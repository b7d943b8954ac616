import { Migration } from '@mikro-orm/migrations';

/** Written by hand, since MikroORM sees no difference between json and jsonb. */
export class Migration20261128070048_foreign_json extends Migration {

  override name = 'Migration20261128070048_foreign_json';

  override up(): void | Promise<void> {
    this.addSql(`alter table "integration"."providers" alter column "driver" type json using ("driver"::json);`);
    this.addSql(`alter table "integration"."webhook_subscriptions" alter column "filter" type json using ("filter"::json);`);
    this.addSql(`alter table "integration"."event_log" alter column "envelope" type json using ("envelope"::json);`);
    this.addSql(`alter table "integration"."webhook_messages" alter column "envelope" type json using ("envelope"::json);`);
    this.addSql(`alter table "integration"."idempotency_records" alter column "result" type json using ("result"::json);`);
    this.addSql(`alter table "integration"."outbox" alter column "envelope" type json using ("envelope"::json);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "integration"."providers" alter column "driver" type jsonb using ("driver"::jsonb);`);
    this.addSql(`alter table "integration"."webhook_subscriptions" alter column "filter" type jsonb using ("filter"::jsonb);`);
    this.addSql(`alter table "integration"."event_log" alter column "envelope" type jsonb using ("envelope"::jsonb);`);
    this.addSql(`alter table "integration"."webhook_messages" alter column "envelope" type jsonb using ("envelope"::jsonb);`);
    this.addSql(`alter table "integration"."idempotency_records" alter column "result" type jsonb using ("result"::jsonb);`);
    this.addSql(`alter table "integration"."outbox" alter column "envelope" type jsonb using ("envelope"::jsonb);`);
  }

}
