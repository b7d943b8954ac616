import { Migration } from '@mikro-orm/migrations';

export class Migration20261121071553_first extends Migration {

  override name = 'Migration20261121071553_first';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."credentials" ("tenant_id" uuid not null, "credential_id" uuid not null, "name" text not null, "kind" text not null, "current_version" int not null, "status" text not null, "created_at" timestamptz not null, primary key ("tenant_id", "credential_id"));`);
    this.addSql(`alter table "integration"."credentials" add constraint "credentials_name" unique ("tenant_id", "name");`);

    this.addSql(`create table "integration"."credential_versions" ("tenant_id" uuid not null, "credential_id" uuid not null, "version" int not null, "stage" text not null, "grace_ends_at" timestamptz null, "key_id" text not null, "wrapped_key" bytea null, "ciphertext" bytea not null, "created_at" timestamptz not null, primary key ("tenant_id", "credential_id", "version"));`);

    this.addSql(`create table "integration"."event_log" ("position" bigserial primary key, "tenant_id" uuid not null, "event_id" uuid not null, "type" text not null, "envelope" jsonb not null, "recorded_at" timestamptz not null default now());`);
    this.addSql(`create index "event_log_recorded_at" on "integration"."event_log" ("recorded_at");`);
    this.addSql(`create index "event_log_tenant_position" on "integration"."event_log" ("tenant_id", "position");`);
    this.addSql(`alter table "integration"."event_log" add constraint "event_log_event" unique ("tenant_id", "event_id");`);

    this.addSql(`create table "integration"."event_log_horizons" ("tenant_id" uuid not null, "pruned_through" bigint not null, primary key ("tenant_id"));`);

    this.addSql(`create table "integration"."idempotency_records" ("tenant_id" uuid not null, "principal" text not null, "field" text not null, "key" text not null, "fingerprint" text not null, "result" jsonb null, "created_at" timestamptz not null default now(), primary key ("tenant_id", "principal", "field", "key"));`);

    this.addSql(`create table "integration"."outbox" ("id" uuid not null, "tenant_id" uuid not null, "type" text not null, "envelope" jsonb not null, "txid" xid8 not null default pg_current_xact_id(), "seq" bigserial, "published_at" timestamptz null, primary key ("id"));`);
    this.addSql(`create index "outbox_unpublished" on "integration"."outbox" ("txid", "seq") where published_at is null;`);

    this.addSql(`create table "integration"."providers" ("tenant_id" uuid not null, "provider_id" uuid not null, "key" text not null, "display_name" text not null, "category" text not null, "auth_model" text not null, "api_client" text null, "api_client_id" uuid not null, "capabilities" text[] not null, "base_url" text null, "status" text not null, "registered_at" timestamptz not null, primary key ("tenant_id", "provider_id"));`);
    this.addSql(`alter table "integration"."providers" add constraint "providers_key" unique ("tenant_id", "key");`);

    this.addSql(`create table "integration"."webhook_attempts" ("tenant_id" uuid not null, "attempt_id" uuid not null, "message_id" uuid not null, "number" int not null, "outcome" text not null, "failure" text null, "detail" text null, "status_code" int null, "response_body" text null, "started_at" timestamptz not null, "duration_ms" int not null, primary key ("tenant_id", "attempt_id"));`);
    this.addSql(`alter table "integration"."webhook_attempts" add constraint "webhook_attempts_number" unique ("tenant_id", "message_id", "number");`);

    this.addSql(`create table "integration"."webhook_messages" ("tenant_id" uuid not null, "message_id" uuid not null, "subscription_id" uuid not null, "event_id" uuid not null, "event_type" text not null, "position" bigint not null, "status" text not null, "attempts" int not null, "next_attempt_at" timestamptz null, "finished_at" timestamptz null, "created_at" timestamptz not null default now(), primary key ("tenant_id", "message_id"));`);
    this.addSql(`create index "webhook_messages_subscription" on "integration"."webhook_messages" ("tenant_id", "subscription_id", "created_at");`);
    this.addSql(`alter table "integration"."webhook_messages" add constraint "webhook_messages_event" unique ("tenant_id", "subscription_id", "event_id");`);

    this.addSql(`create table "integration"."webhook_subscriptions" ("tenant_id" uuid not null, "subscription_id" uuid not null, "project_id" text null, "event_type" text not null, "endpoint_url" text not null, "signing_secret_ref" text not null, "credential_id" uuid not null, "content_type" text not null, "status" text not null, "disabled_reason" text null, "failing_since" timestamptz null, "exhausted_since" timestamptz null, "created_at" timestamptz not null, primary key ("tenant_id", "subscription_id"));`);
    this.addSql(`create index "webhook_subscriptions_active" on "integration"."webhook_subscriptions" ("tenant_id", "event_type") where status = 'Active';`);

    this.addSql(`alter table "integration"."credentials" enable row level security;`);
    this.addSql(`alter table "integration"."credentials" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."credentials" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "integration"."credential_versions" enable row level security;`);
    this.addSql(`alter table "integration"."credential_versions" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."credential_versions" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "integration"."event_log" enable row level security;`);
    this.addSql(`alter table "integration"."event_log" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."event_log" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "integration"."event_log" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "integration"."event_log_horizons" enable row level security;`);
    this.addSql(`alter table "integration"."event_log_horizons" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."event_log_horizons" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "integration"."event_log_horizons" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "integration"."idempotency_records" enable row level security;`);
    this.addSql(`alter table "integration"."idempotency_records" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."idempotency_records" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`create or replace function "integration"."outbox_outbox_wake_fn"() returns trigger as \$\$ begin perform pg_notify(tg_table_schema || '_outbox', ''); return null; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "outbox_wake" AFTER INSERT on "integration"."outbox" for each STATEMENT execute function "integration"."outbox_outbox_wake_fn"();`);
    this.addSql(`alter table "integration"."outbox" enable row level security;`);
    this.addSql(`alter table "integration"."outbox" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."outbox" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "integration"."outbox" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "integration"."providers" enable row level security;`);
    this.addSql(`alter table "integration"."providers" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."providers" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "integration"."webhook_attempts" enable row level security;`);
    this.addSql(`alter table "integration"."webhook_attempts" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."webhook_attempts" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "integration"."webhook_messages" enable row level security;`);
    this.addSql(`alter table "integration"."webhook_messages" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."webhook_messages" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "integration"."webhook_subscriptions" enable row level security;`);
    this.addSql(`alter table "integration"."webhook_subscriptions" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."webhook_subscriptions" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."credentials" cascade;`);
    this.addSql(`drop table if exists "integration"."credential_versions" cascade;`);
    this.addSql(`drop table if exists "integration"."event_log" cascade;`);
    this.addSql(`drop table if exists "integration"."event_log_horizons" cascade;`);
    this.addSql(`drop table if exists "integration"."idempotency_records" cascade;`);
    this.addSql(`drop trigger if exists "outbox_wake" on "integration"."outbox";`);
    this.addSql(`drop function if exists "integration"."outbox_outbox_wake_fn"();`);
    this.addSql(`drop table if exists "integration"."outbox" cascade;`);
    this.addSql(`drop table if exists "integration"."providers" cascade;`);
    this.addSql(`drop table if exists "integration"."webhook_attempts" cascade;`);
    this.addSql(`drop table if exists "integration"."webhook_messages" cascade;`);
    this.addSql(`drop table if exists "integration"."webhook_subscriptions" cascade;`);

  }

}
