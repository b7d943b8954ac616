import { Migration } from '@mikro-orm/migrations';

export class Migration20261123012547_connections extends Migration {

  override name = 'Migration20261123012547_connections';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."connections" ("tenant_id" uuid not null, "connection_id" uuid not null, "project_id" text null, "provider_id" uuid not null, "display_name" text not null, "auth_mode" text not null, "credential_ref" text null, "credential_id" uuid null, "configuration" jsonb not null, "webhook_secret_ref" text null, "webhook_credential_id" uuid null, "external_account_id" text null, "status" text not null, "status_reason" text null, "health" text not null, "health_run_id" uuid null, "last_checked_at" timestamptz null, "last_run_id" uuid null, "consecutive_failures" int not null, "consecutive_successes" int not null, "consecutive_rejections" int not null, "failing_since" timestamptz null, "next_probe_at" timestamptz null, "established_at" timestamptz not null, "trace_id" text not null, "version" int not null, "deleted_at" timestamptz null, primary key ("tenant_id", "connection_id"));`);
    this.addSql(`create index "connections_due" on "integration"."connections" ("next_probe_at") where status = 'Active';`);
    this.addSql(`create index "connections_of_credential" on "integration"."connections" ("tenant_id", "credential_id") where status <> 'Deleted';`);
    this.addSql(`create index "connections_of_provider" on "integration"."connections" ("tenant_id", "provider_id") where status <> 'Deleted';`);
    this.addSql(`create index "connections_by_time" on "integration"."connections" ("tenant_id", "established_at", "connection_id") where status <> 'Deleted';`);
    this.addSql(`create index "connections_by_display_name" on "integration"."connections" ("tenant_id", "display_name", "connection_id") where status <> 'Deleted';`);

    this.addSql(`alter table "integration"."connections" enable row level security;`);
    this.addSql(`alter table "integration"."connections" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."connections" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "integration"."connections" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."connections" cascade;`);
  }

}
