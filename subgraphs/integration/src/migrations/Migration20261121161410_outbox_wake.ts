import { Migration } from '@mikro-orm/migrations';

export class Migration20261121161410_outbox_wake extends Migration {

  override name = 'Migration20261121161410_outbox_wake';

  override up(): void | Promise<void> {
    this.addSql(`drop trigger if exists "outbox_wake" on "integration"."outbox";`);
    this.addSql(`drop function if exists "integration"."outbox_outbox_wake_fn"();`);
  }

  override down(): void | Promise<void> {
    this.addSql(`create or replace function "integration"."outbox_outbox_wake_fn"() returns trigger as \$\$ begin perform pg_notify(tg_table_schema || '_outbox', ''); return null; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "outbox_wake" AFTER INSERT on "integration"."outbox" for each STATEMENT execute function "integration"."outbox_outbox_wake_fn"();`);
  }

}
