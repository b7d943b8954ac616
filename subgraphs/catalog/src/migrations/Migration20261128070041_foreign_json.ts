import { Migration } from '@mikro-orm/migrations';

/** Written by hand, since MikroORM sees no difference between json and jsonb. */
export class Migration20261128070041_foreign_json extends Migration {

  override name = 'Migration20261128070041_foreign_json';

  override up(): void | Promise<void> {
    this.addSql(`alter table "catalog"."executions" alter column "parameters" type json using ("parameters"::json);`);
    this.addSql(`alter table "catalog"."template_versions" alter column "parameter_schema" type json using ("parameter_schema"::json);`);
    this.addSql(`alter table "catalog"."idempotency_records" alter column "result" type json using ("result"::json);`);
    this.addSql(`alter table "catalog"."outbox" alter column "envelope" type json using ("envelope"::json);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "catalog"."executions" alter column "parameters" type jsonb using ("parameters"::jsonb);`);
    this.addSql(`alter table "catalog"."template_versions" alter column "parameter_schema" type jsonb using ("parameter_schema"::jsonb);`);
    this.addSql(`alter table "catalog"."idempotency_records" alter column "result" type jsonb using ("result"::jsonb);`);
    this.addSql(`alter table "catalog"."outbox" alter column "envelope" type jsonb using ("envelope"::jsonb);`);
  }

}
