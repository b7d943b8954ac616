import { Migration } from '@mikro-orm/migrations';

export class Migration20261128013622_factor_locks extends Migration {

  override name = 'Migration20261128013622_factor_locks';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."factor_locks" ("tenant_id" uuid not null, "user_id" uuid not null, "failures" int not null, "locked_at" timestamptz null, "link_nonce" text null, "link_digest" text null, "link_expires_at" timestamptz null, "link_mailed_at" timestamptz null, "link_used_at" timestamptz null, primary key ("tenant_id", "user_id"));`);
    this.addSql(`alter table "spine"."factor_locks" add constraint "factor_locks_link" unique ("link_digest");`);

    this.addSql(`alter table "spine"."factor_locks" enable row level security;`);
    this.addSql(`alter table "spine"."factor_locks" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."factor_locks" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."factor_locks" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."factor_locks" cascade;`);
  }

}
