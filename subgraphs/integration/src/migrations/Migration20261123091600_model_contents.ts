import { Migration } from '@mikro-orm/migrations';

export class Migration20261123091600_model_contents extends Migration {

  override name = 'Migration20261123091600_model_contents';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."model_contents" ("tenant_id" uuid not null, "run_id" uuid not null, "key_id" text not null, "wrapped_key" bytea not null, "ciphertext" bytea not null, "expires_at" timestamptz not null, primary key ("tenant_id", "run_id"));`);
    this.addSql(`create index "model_contents_expires_at" on "integration"."model_contents" ("expires_at");`);

    this.addSql(`alter table "integration"."model_contents" enable row level security;`);
    this.addSql(`alter table "integration"."model_contents" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."model_contents" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "integration"."model_contents" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."model_contents" cascade;`);
  }

}
