import { Migration } from '@mikro-orm/migrations';

export class Migration20261123012105_runs extends Migration {

  override name = 'Migration20261123012105_runs';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."runs" ("tenant_id" uuid not null, "run_id" uuid not null, "connection_id" uuid null, "credential_id" uuid null, "delivery_id" uuid null, "project_id" text null, "operation" text not null, "status" text not null, "attempts" int not null default 0, "max_attempts" int not null, "fence" int not null default 0, "payload" jsonb not null default '{}', "result" jsonb null, "steps" jsonb not null default '[]', "error_code" text null, "error_detail" text null, "correlation_id" text not null, "traceparent" text not null, "requested_by" text null, "created_at" timestamptz not null default now(), "started_at" timestamptz null, "next_attempt_at" timestamptz null, "deadline_at" timestamptz null, "completed_at" timestamptz null, primary key ("tenant_id", "run_id"));`);
    this.addSql(`create index "runs_completed_at" on "integration"."runs" ("completed_at") where completed_at is not null;`);
    this.addSql(`create index "runs_credential" on "integration"."runs" ("tenant_id", "credential_id", "run_id") where credential_id is not null;`);
    this.addSql(`create index "runs_connection" on "integration"."runs" ("tenant_id", "connection_id", "run_id") where connection_id is not null;`);
    this.addSql(`create index runs_waiting on runs (run_id) where status in ('Queued', 'Running', 'RetryScheduled') and operation <> 'ProcessDelivery';`);

    this.addSql(`alter table "integration"."runs" enable row level security;`);
    this.addSql(`alter table "integration"."runs" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."runs" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "waiting" on "integration"."runs" for select to "platform_worker" using (status in ('Queued', 'Running', 'RetryScheduled') and operation <> 'ProcessDelivery');`);
    this.addSql(`create policy "expired" on "integration"."runs" to "platform_worker" using (completed_at is not null);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."runs" cascade;`);
  }

}
