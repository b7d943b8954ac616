import { Migration } from '@mikro-orm/migrations';

export class Migration20261122182653_audit_log extends Migration {

  override name = 'Migration20261122182653_audit_log';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."audit_keys" ("key_id" text not null, "sealed_key" text not null, "created_at" timestamptz not null, primary key ("key_id"));`);

    this.addSql(`create table "spine"."audit_records" ("tenant_id" uuid not null, "position" bigint not null, "record_id" uuid not null, "recorded_at" timestamptz(3) not null, "source" text not null, "operation" text not null, "outcome" text not null, "subject" text null, "principal" text null, "principal_type" text null, "client_id" text null, "agent" text null, "agent_task_id" text null, "approval_id" text null, "trace_id" text not null, "code" text null, "status" int null, "count" int null, "first_at" timestamptz(3) null, "personal_digest" bytea null, "personal_salt" bytea null, "address" text null, "email" text null, "user_agent" text null, "hash" bytea not null, primary key ("tenant_id", "position"));`);
    this.addSql(`create index audit_records_email on audit_records (tenant_id, lower(email), recorded_at, position) where email is not null;`);
    this.addSql(`create index "audit_records_by_code" on "spine"."audit_records" ("tenant_id", "code", "recorded_at", "position") where code is not null;`);
    this.addSql(`create index "audit_records_by_subject" on "spine"."audit_records" ("tenant_id", "subject", "recorded_at", "position") where subject is not null;`);
    this.addSql(`create index "audit_records_by_principal" on "spine"."audit_records" ("tenant_id", "principal", "recorded_at", "position") where principal is not null;`);
    this.addSql(`create index "audit_records_by_outcome" on "spine"."audit_records" ("tenant_id", "outcome", "recorded_at", "position");`);
    this.addSql(`create index "audit_records_by_operation" on "spine"."audit_records" ("tenant_id", "operation", "recorded_at", "position");`);
    this.addSql(`create index "audit_records_page" on "spine"."audit_records" ("tenant_id", "recorded_at", "position");`);
    this.addSql(`alter table "spine"."audit_records" add constraint "audit_records_record" unique ("tenant_id", "record_id");`);

    this.addSql(`create table "spine"."audit_heads" ("tenant_id" uuid not null, "position" bigint not null, "hash" bytea not null, "start_position" bigint not null, "start_hash" bytea not null, "unsealed_since" timestamptz null, "retention_due_at" timestamptz not null, primary key ("tenant_id"));`);
    this.addSql(`create index "audit_heads_retention" on "spine"."audit_heads" ("retention_due_at");`);
    this.addSql(`create index "audit_heads_unsealed" on "spine"."audit_heads" ("unsealed_since") where unsealed_since is not null;`);

    this.addSql(`create table "spine"."audit_seals" ("tenant_id" uuid not null, "position" bigint not null, "hash" bytea not null, "sealed_at" timestamptz not null, "jws" text not null, primary key ("tenant_id", "position"));`);

    this.addSql(`create table "spine"."audit_erasures" ("tenant_id" uuid not null, "user_id" uuid not null, "email" text not null, "requested_at" timestamptz not null, "erased_at" timestamptz null, primary key ("tenant_id", "user_id"));`);

    this.addSql(`alter table "spine"."audit_keys" enable row level security;`);
    this.addSql(`alter table "spine"."audit_keys" force row level security;`);
    this.addSql(`create policy "worker" on "spine"."audit_keys" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "spine"."audit_records" enable row level security;`);
    this.addSql(`alter table "spine"."audit_records" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."audit_records" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."audit_records" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "spine"."audit_heads" enable row level security;`);
    this.addSql(`alter table "spine"."audit_heads" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."audit_heads" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."audit_heads" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "spine"."audit_seals" enable row level security;`);
    this.addSql(`alter table "spine"."audit_seals" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."audit_seals" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."audit_seals" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "spine"."audit_erasures" enable row level security;`);
    this.addSql(`alter table "spine"."audit_erasures" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."audit_erasures" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."audit_erasures" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."audit_keys" cascade;`);
    this.addSql(`drop table if exists "spine"."audit_records" cascade;`);
    this.addSql(`drop table if exists "spine"."audit_heads" cascade;`);
    this.addSql(`drop table if exists "spine"."audit_seals" cascade;`);
    this.addSql(`drop table if exists "spine"."audit_erasures" cascade;`);
  }

}
