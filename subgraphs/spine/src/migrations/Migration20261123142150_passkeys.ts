import { Migration } from '@mikro-orm/migrations';

export class Migration20261123142150_passkeys extends Migration {

  override name = 'Migration20261123142150_passkeys';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."passkeys" ("tenant_id" uuid not null, "factor_id" uuid not null, "user_id" uuid not null, "credential_id" text not null, "public_key" bytea not null, "transports" text[] not null, "name" text not null, "device_bound" boolean not null, "signature_count" bigint not null, "added_at" timestamptz not null, "last_used_at" timestamptz null, primary key ("tenant_id", "factor_id"));`);
    this.addSql(`create index "passkeys_of_user" on "spine"."passkeys" ("tenant_id", "user_id", "factor_id");`);
    this.addSql(`alter table "spine"."passkeys" add constraint "passkeys_credential" unique ("credential_id");`);

    this.addSql(`alter table "spine"."passkeys" enable row level security;`);
    this.addSql(`alter table "spine"."passkeys" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."passkeys" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "lookup" on "spine"."passkeys" for select to "platform_worker" using (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."passkeys" cascade;`);
  }

}
