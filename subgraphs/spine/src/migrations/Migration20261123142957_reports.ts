import { Migration } from '@mikro-orm/migrations';

export class Migration20261123142957_reports extends Migration {

  override name = 'Migration20261123142957_reports';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."report_definitions" ("tenant_id" uuid not null, "definition_id" uuid not null, "code" text not null, "created_at" timestamptz not null, primary key ("tenant_id", "definition_id"));`);
    this.addSql(`create index "report_definitions_page" on "spine"."report_definitions" ("tenant_id", "created_at", "definition_id");`);
    this.addSql(`alter table "spine"."report_definitions" add constraint "report_definitions_code" unique ("tenant_id", "code");`);

    this.addSql(`create table "spine"."report_runs" ("tenant_id" uuid not null, "run_id" uuid not null, "definition_id" uuid not null, "code" text not null, "format" text not null, "parameters" jsonb not null, "period_over" boolean not null, "status" text not null, "fence" int not null default 0, "version" int not null default 1, "rows_done" int not null default 0, "rows_total" int null, "size_bytes" bigint null, "sha256" text null, "error_code" text null, "error_detail" text null, "correlation_id" text not null, "traceparent" text not null, "requested_by" text not null, "requested_at" timestamptz not null, "started_at" timestamptz null, "completed_at" timestamptz null, "expires_at" timestamptz null, "updated_at" timestamptz not null, primary key ("tenant_id", "run_id"));`);
    this.addSql(`create index report_runs_over on report_runs (completed_at) where status in ('Failed', 'Cancelled', 'Expired');`);
    this.addSql(`create index report_runs_expiry on report_runs (expires_at) where status = 'Completed';`);
    this.addSql(`create index report_runs_stored on report_runs (tenant_id) where status = 'Completed';`);
    this.addSql(`create index report_runs_open on report_runs (tenant_id) where status in ('Queued', 'Running');`);
    this.addSql(`create index report_runs_waiting on report_runs (run_id) where status in ('Queued', 'Running');`);

    this.addSql(`alter table "spine"."report_definitions" enable row level security;`);
    this.addSql(`alter table "spine"."report_definitions" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."report_definitions" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "spine"."report_runs" enable row level security;`);
    this.addSql(`alter table "spine"."report_runs" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."report_runs" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "waiting" on "spine"."report_runs" for select to "platform_worker" using (status in ('Queued', 'Running') or status = 'Completed' and expires_at < now());`);
    this.addSql(`create policy "expired" on "spine"."report_runs" to "platform_worker" using (status in ('Failed', 'Cancelled', 'Expired'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."report_definitions" cascade;`);
    this.addSql(`drop table if exists "spine"."report_runs" cascade;`);
  }

}
