import { Migration } from '@mikro-orm/migrations';

export class Migration20261123085635_model_budgets extends Migration {

  override name = 'Migration20261123085635_model_budgets';

  override up(): void | Promise<void> {
    this.addSql(`create table "integration"."model_budgets" ("tenant_id" uuid not null, "budget" text not null, "request_at" timestamptz not null, "token_at" timestamptz not null, primary key ("tenant_id", "budget"));`);
    this.addSql(`create index "model_budgets_token_at" on "integration"."model_budgets" ("token_at");`);

    this.addSql(`alter table "integration"."model_budgets" enable row level security;`);
    this.addSql(`alter table "integration"."model_budgets" force row level security;`);
    this.addSql(`create policy "tenant" on "integration"."model_budgets" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "integration"."model_budgets" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "integration"."model_budgets" cascade;`);
  }

}
