import { Migration } from '@mikro-orm/migrations';

export class Migration20261128191000_replaced_drafts extends Migration {

  override name = 'Migration20261128191000_replaced_drafts';

  override up(): void | Promise<void> {
    this.addSql(`create table "catalog"."replaced_drafts" ("tenant_id" uuid not null, "template_version_id" uuid not null, "revision" int not null, "semantic_version" text not null, "source_ref" text not null, "resolved_ref" text null, "content_digest" text null, "template_identity" text null, "template_language" text null, "template_type" text null, "engine_kind" text not null, "target_framework" text not null, "parameter_schema" json not null, "parameter_schema_origin" text not null, "replaced_at" timestamptz not null, primary key ("tenant_id", "template_version_id", "revision"));`);

    this.addSql(`alter table "catalog"."template_versions" add "revision" int not null default 1;`);
    this.addSql(`alter table "catalog"."validation_results" add "revision" int not null default 1;`);
    this.addSql(`alter table "catalog"."executions" add "template_revision" int not null default 1;`);
    this.addSql(`drop index "catalog"."executions_template_version";`);
    this.addSql(`create index "executions_template_version" on "catalog"."executions" ("tenant_id", "template_version_id", "template_revision");`);

    this.addSql(`alter table "catalog"."replaced_drafts" enable row level security;`);
    this.addSql(`alter table "catalog"."replaced_drafts" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."replaced_drafts" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "catalog"."replaced_drafts" cascade;`);
    this.addSql(`alter table "catalog"."template_versions" drop column "revision";`);
    this.addSql(`alter table "catalog"."validation_results" drop column "revision";`);
    this.addSql(`drop index "catalog"."executions_template_version";`);
    this.addSql(`alter table "catalog"."executions" drop column "template_revision";`);
    this.addSql(`create index "executions_template_version" on "catalog"."executions" ("tenant_id", "template_version_id");`);
  }

}
