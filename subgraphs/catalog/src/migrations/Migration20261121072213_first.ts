import { Migration } from '@mikro-orm/migrations';

export class Migration20261121072213_first extends Migration {

  override name = 'Migration20261121072213_first';

  override up(): void | Promise<void> {
    this.addSql(`create table "catalog"."compatibility_matrices" ("tenant_id" uuid not null, "matrix_id" uuid not null, "template_version_id" uuid null, "runtime" text not null, "libraries" jsonb not null, "compatible" boolean not null, "violations" jsonb not null, "advisories" jsonb not null, "evaluated_at" timestamptz not null, primary key ("tenant_id", "matrix_id"));`);

    this.addSql(`create table "catalog"."executions" ("tenant_id" uuid not null, "execution_id" uuid not null, "template_id" uuid not null, "template_version_id" uuid not null, "status" text not null, "phase" text null, "fence" int not null, "parameters" jsonb not null, "libraries" jsonb not null, "repository" text not null, "clone_url" text not null, "branch" text not null, "on_conflict" text not null, "agent_task_id" text null, "traceparent" text not null, "requested_by" text not null, "requested_at" timestamptz not null, "started_at" timestamptz null, "completed_at" timestamptz null, "scaffold_output_id" uuid null, "output" jsonb null, "manual_instructions" jsonb not null, "warnings" jsonb not null, "error" jsonb null, primary key ("tenant_id", "execution_id"));`);
    this.addSql(`create index "executions_template_version" on "catalog"."executions" ("tenant_id", "template_version_id");`);

    this.addSql(`create table "catalog"."idempotency_records" ("tenant_id" uuid not null, "principal" text not null, "field" text not null, "key" text not null, "fingerprint" text not null, "result" jsonb null, "created_at" timestamptz not null default now(), primary key ("tenant_id", "principal", "field", "key"));`);

    this.addSql(`create table "catalog"."libraries" ("tenant_id" uuid not null, "library_id" uuid not null, "package_name" text not null, "package_key" text not null, "area" text null, "owner" text null, "capabilities" jsonb not null, "capability_tokens" text[] not null, "tags" text[] not null, "status" text not null, "created_at" timestamptz not null, primary key ("tenant_id", "library_id"));`);
    this.addSql(`create index "libraries_capability_tokens" on "catalog"."libraries" using gin ("capability_tokens");`);
    this.addSql(`alter table "catalog"."libraries" add constraint "libraries_package" unique ("tenant_id", "package_key");`);

    this.addSql(`create table "catalog"."library_versions" ("tenant_id" uuid not null, "library_version_id" uuid not null, "library_id" uuid not null, "semantic_version" text not null, "version_key" text not null, "target_frameworks" text[] not null, "dependencies" jsonb not null, "conflicts_with" jsonb not null, "status" text not null, "created_at" timestamptz not null, primary key ("tenant_id", "library_version_id"));`);
    this.addSql(`alter table "catalog"."library_versions" add constraint "library_versions_version" unique ("tenant_id", "library_id", "version_key");`);

    this.addSql(`create table "catalog"."outbox" ("id" uuid not null, "tenant_id" uuid not null, "type" text not null, "envelope" jsonb not null, "txid" xid8 not null default pg_current_xact_id(), "seq" bigserial, "published_at" timestamptz null, primary key ("id"));`);
    this.addSql(`create index "outbox_unpublished" on "catalog"."outbox" ("txid", "seq") where published_at is null;`);

    this.addSql(`create table "catalog"."templates" ("tenant_id" uuid not null, "template_id" uuid not null, "name" text not null, "name_key" text not null, "title" text null, "category" text null, "owner" text null, "tags" text[] not null, "status" text not null, "created_at" timestamptz not null, primary key ("tenant_id", "template_id"));`);
    this.addSql(`alter table "catalog"."templates" add constraint "templates_name" unique ("tenant_id", "name_key");`);

    this.addSql(`create table "catalog"."template_versions" ("tenant_id" uuid not null, "template_version_id" uuid not null, "template_id" uuid not null, "semantic_version" text not null, "precedence" text not null, "source_ref" text not null, "resolved_ref" text null, "content_digest" text null, "engine_kind" text not null, "target_framework" text not null, "parameter_schema" jsonb not null, "changelog" text null, "status" text not null, "created_at" timestamptz not null, primary key ("tenant_id", "template_version_id"));`);
    this.addSql(`create index "template_versions_template" on "catalog"."template_versions" ("tenant_id", "template_id");`);
    this.addSql(`alter table "catalog"."template_versions" add constraint "template_versions_semantic_version" unique ("tenant_id", "template_id", "precedence");`);

    this.addSql(`create table "catalog"."validation_results" ("tenant_id" uuid not null, "validation_result_id" uuid not null, "template_version_id" uuid not null, "outcome" text not null, "checks" text[] not null, "findings" jsonb not null, "samples" int not null, "content_digest" text null, "validated_at" timestamptz not null, primary key ("tenant_id", "validation_result_id"));`);
    this.addSql(`create index "validation_results_version" on "catalog"."validation_results" ("tenant_id", "template_version_id");`);

    this.addSql(`alter table "catalog"."compatibility_matrices" enable row level security;`);
    this.addSql(`alter table "catalog"."compatibility_matrices" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."compatibility_matrices" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."executions" enable row level security;`);
    this.addSql(`alter table "catalog"."executions" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."executions" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."idempotency_records" enable row level security;`);
    this.addSql(`alter table "catalog"."idempotency_records" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."idempotency_records" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."libraries" enable row level security;`);
    this.addSql(`alter table "catalog"."libraries" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."libraries" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."library_versions" enable row level security;`);
    this.addSql(`alter table "catalog"."library_versions" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."library_versions" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`create or replace function "catalog"."outbox_outbox_wake_fn"() returns trigger as \$\$ begin perform pg_notify(tg_table_schema || '_outbox', ''); return null; end; \$\$ language plpgsql;`);
    this.addSql(`create trigger "outbox_wake" AFTER INSERT on "catalog"."outbox" for each STATEMENT execute function "catalog"."outbox_outbox_wake_fn"();`);
    this.addSql(`alter table "catalog"."outbox" enable row level security;`);
    this.addSql(`alter table "catalog"."outbox" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."outbox" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "catalog"."outbox" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "catalog"."templates" enable row level security;`);
    this.addSql(`alter table "catalog"."templates" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."templates" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."template_versions" enable row level security;`);
    this.addSql(`alter table "catalog"."template_versions" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."template_versions" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."validation_results" enable row level security;`);
    this.addSql(`alter table "catalog"."validation_results" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."validation_results" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "catalog"."compatibility_matrices" cascade;`);
    this.addSql(`drop table if exists "catalog"."executions" cascade;`);
    this.addSql(`drop table if exists "catalog"."idempotency_records" cascade;`);
    this.addSql(`drop table if exists "catalog"."libraries" cascade;`);
    this.addSql(`drop table if exists "catalog"."library_versions" cascade;`);
    this.addSql(`drop trigger if exists "outbox_wake" on "catalog"."outbox";`);
    this.addSql(`drop function if exists "catalog"."outbox_outbox_wake_fn"();`);
    this.addSql(`drop table if exists "catalog"."outbox" cascade;`);
    this.addSql(`drop table if exists "catalog"."templates" cascade;`);
    this.addSql(`drop table if exists "catalog"."template_versions" cascade;`);
    this.addSql(`drop table if exists "catalog"."validation_results" cascade;`);

  }

}
