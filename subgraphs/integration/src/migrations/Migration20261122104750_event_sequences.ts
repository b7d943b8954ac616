import { Migration } from '@mikro-orm/migrations';

export class Migration20261122104750_event_sequences extends Migration {

  override name = 'Migration20261122104750_event_sequences';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."event_log_heads" ("tenant_id" uuid not null, "sequence" bigint not null, primary key ("tenant_id"));`);

    this.addSql(`drop index "integration"."event_log_tenant_position";`);
    // each event keeps its number; written in one pass, where an update would leave every row twice
    this.addSql(`alter table "integration"."event_log" add "sequence" bigint generated always as (position) stored;`);
    this.addSql(`alter table "integration"."event_log" alter "sequence" drop expression, alter "sequence" set not null;`);
    this.addSql(`alter table "integration"."event_log" add constraint "event_log_sequence" unique ("tenant_id", "sequence");`);

    // tenants that have cursors go on behind the highest that was ever given out, so that every one stays good; the owner
    // sees rows only while the policies are not forced
    for (const table of ["event_log", "event_log_horizons"])
      this.addSql(`alter table "integration"."${table}" no force row level security;`);
    this.addSql(`insert into "integration"."event_log_heads" (tenant_id, sequence)
      select tenant_id, (select last_value from "integration"."event_log_position_seq")
      from (select tenant_id from "integration"."event_log" union select tenant_id from "integration"."event_log_horizons") known;`);
    for (const table of ["event_log", "event_log_horizons"])
      this.addSql(`alter table "integration"."${table}" force row level security;`);

    this.addSql(`alter table "integration"."event_log_heads" enable row level security;`);
    this.addSql(`alter table "integration"."event_log_heads" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."event_log_heads" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."event_log_heads" cascade;`);

    this.addSql(`alter table "integration"."event_log" drop constraint "event_log_sequence";`);
    this.addSql(`alter table "integration"."event_log" drop column "sequence";`);
    this.addSql(`CREATE INDEX event_log_tenant_position ON integration.event_log USING btree (tenant_id, "position");`);
  }

}
