import { Migration } from '@mikro-orm/migrations';

export class Migration20261121070911_first extends Migration {

  override name = 'Migration20261121070911_first';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."api_clients" ("tenant_id" uuid not null, "client_id" text not null, "name" text not null, "scopes" text[] not null, "grant_types" text[] not null, "principal_type" text not null, "platform_admin" boolean not null, "status" text not null, "secret_nonce" text null, "secret_digest" text not null, "created_at" timestamptz not null, primary key ("tenant_id", "client_id"));`);
    this.addSql(`alter table "spine"."api_clients" add constraint "api_clients_client_id" unique ("client_id");`);

    this.addSql(`create table "spine"."idempotency_records" ("tenant_id" uuid not null, "principal" text not null, "field" text not null, "key" text not null, "fingerprint" text not null, "result" jsonb null, "created_at" timestamptz not null default now(), primary key ("tenant_id", "principal", "field", "key"));`);

    this.addSql(`create table "spine"."outbox" ("id" uuid not null, "tenant_id" uuid not null, "type" text not null, "envelope" jsonb not null, "txid" xid8 not null default pg_current_xact_id(), "seq" bigserial, "published_at" timestamptz null, primary key ("id"));`);
    this.addSql(`create index "outbox_unpublished" on "spine"."outbox" ("txid", "seq") where published_at is null;`);

    this.addSql(`create table "spine"."plan_subscriptions" ("tenant_id" uuid not null, "subscription_id" uuid not null, "edition_code" text not null, "status" text not null, "created_at" timestamptz not null, primary key ("tenant_id", "subscription_id"));`);

    this.addSql(`create table "spine"."provisioning_runs" ("tenant_id" uuid not null, "run_id" uuid not null, "status" text not null, "completed_steps" text[] not null, "requested_at" timestamptz not null, "ended_at" timestamptz null, primary key ("tenant_id", "run_id"));`);
    this.addSql(`create unique index "provisioning_runs_running" on "spine"."provisioning_runs" ("tenant_id") where status = 'Running';`);

    this.addSql(`create table "spine"."signing_keys" ("key_id" text not null, "public_key" jsonb not null, "sealed_private_key" text not null, "created_at" timestamptz not null, primary key ("key_id"));`);

    this.addSql(`create table "spine"."tenants" ("tenant_id" uuid not null, "name" text not null, "slug" text not null, "status" text not null, "edition_code" text not null, "owner_email" text null, "subscription_id" uuid null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("tenant_id"));`);
    this.addSql(`alter table "spine"."tenants" add constraint "tenants_slug" unique ("slug");`);
    this.addSql(`create index "tenants_page" on "spine"."tenants" ("created_at", "tenant_id");`);

    this.addSql(`alter table "spine"."api_clients" enable row level security;`);
    this.addSql(`alter table "spine"."api_clients" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."api_clients" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."api_clients" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "spine"."idempotency_records" enable row level security;`);
    this.addSql(`alter table "spine"."idempotency_records" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."idempotency_records" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`create or replace function "spine"."outbox_outbox_wake_fn"() returns trigger as \$\$ begin perform pg_notify(tg_table_schema || '_outbox', ''); return null; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "outbox_wake" AFTER INSERT on "spine"."outbox" for each STATEMENT execute function "spine"."outbox_outbox_wake_fn"();`);
    this.addSql(`alter table "spine"."outbox" enable row level security;`);
    this.addSql(`alter table "spine"."outbox" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."outbox" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."outbox" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "spine"."plan_subscriptions" enable row level security;`);
    this.addSql(`alter table "spine"."plan_subscriptions" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."plan_subscriptions" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "spine"."provisioning_runs" enable row level security;`);
    this.addSql(`alter table "spine"."provisioning_runs" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."provisioning_runs" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "spine"."signing_keys" enable row level security;`);
    this.addSql(`alter table "spine"."signing_keys" force row level security;`);
    this.addSql(`create policy "worker" on "spine"."signing_keys" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "spine"."tenants" enable row level security;`);
    this.addSql(`alter table "spine"."tenants" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."tenants" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."tenants" to "platform_worker" using (true) with check (true);`);
    this.addSql(`create policy "platform" on "spine"."tenants" using (current_setting('app.platform', true) = 'on') with check (current_setting('app.platform', true) = 'on');`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."api_clients" cascade;`);
    this.addSql(`drop table if exists "spine"."idempotency_records" cascade;`);
    this.addSql(`drop trigger if exists "outbox_wake" on "spine"."outbox";`);
    this.addSql(`drop function if exists "spine"."outbox_outbox_wake_fn"();`);
    this.addSql(`drop table if exists "spine"."outbox" cascade;`);
    this.addSql(`drop table if exists "spine"."plan_subscriptions" cascade;`);
    this.addSql(`drop table if exists "spine"."provisioning_runs" cascade;`);
    this.addSql(`drop table if exists "spine"."signing_keys" cascade;`);
    this.addSql(`drop table if exists "spine"."tenants" cascade;`);

  }

}
