import { Migration } from '@mikro-orm/migrations';

export class Migration20261122074348_waiting_rows extends Migration {

  override name = 'Migration20261122074348_waiting_rows';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."mails" ("tenant_id" uuid not null, "mail_id" uuid not null, "kind" text not null, "about" text not null, "status" text not null, "created_at" timestamptz not null, "ended_at" timestamptz null, primary key ("tenant_id", "mail_id"));`);
    this.addSql(`create index mails_ended on mails (ended_at) where ended_at is not null;`);
    this.addSql(`create index mails_waiting on mails (mail_id) where status = 'Waiting';`);

    this.addSql(`create index provisioning_runs_waiting on provisioning_runs (run_id) where status = 'Running';`);
    this.addSql(`create policy "waiting" on "spine"."provisioning_runs" for select to "platform_worker" using (status = 'Running');`);

    this.addSql(`alter table "spine"."mails" enable row level security;`);
    this.addSql(`alter table "spine"."mails" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."mails" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."mails" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."mails" cascade;`);

    this.addSql(`drop policy "waiting" on "spine"."provisioning_runs";`);

    this.addSql(`drop index "spine"."provisioning_runs_waiting";`);
  }

}
