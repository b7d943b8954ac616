import { Migration } from '@mikro-orm/migrations';

export class Migration20261121100045_executions extends Migration {

  override name = 'Migration20261121100045_executions';

  override up(): void | Promise<void> {
    this.addSql(`create table "catalog"."execution_changes" ("tenant_id" uuid not null, "execution_id" uuid not null, "sequence" int not null, "status" text not null, "phase" text null, "changed_at" timestamptz not null default clock_timestamp(), primary key ("tenant_id", "execution_id", "sequence"));`);

    this.addSql(`create table "catalog"."scaffold_files" ("tenant_id" uuid not null, "scaffold_output_id" uuid not null, "path" text collate "C" not null, "change" text not null, "executable" boolean not null, "size" int not null, "blob_sha" text null, primary key ("tenant_id", "scaffold_output_id", "path"));`);

    this.addSql(`alter table "catalog"."executions" add "sequence" int not null default 0, add "retry_of" uuid null, add "credential_ref" text null;`);
    this.addSql(`alter table "catalog"."executions" add constraint "executions_scaffold_output" unique ("tenant_id", "scaffold_output_id");`);

    this.addSql(`alter table "catalog"."execution_changes" enable row level security;`);
    this.addSql(`alter table "catalog"."execution_changes" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."execution_changes" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "catalog"."scaffold_files" enable row level security;`);
    this.addSql(`alter table "catalog"."scaffold_files" force row level security;`);
    this.addSql(`create policy "tenant" on "catalog"."scaffold_files" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "catalog"."execution_changes" cascade;`);
    this.addSql(`drop table if exists "catalog"."scaffold_files" cascade;`);

    this.addSql(`alter table "catalog"."executions" drop constraint "executions_scaffold_output";`);
    this.addSql(`alter table "catalog"."executions" drop column "sequence", drop column "retry_of", drop column "credential_ref";`);
  }

}
