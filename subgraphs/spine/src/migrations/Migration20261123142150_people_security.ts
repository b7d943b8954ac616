import { Migration } from '@mikro-orm/migrations';

export class Migration20261123142150_people_security extends Migration {

  override name = 'Migration20261123142150_people_security';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."password_resets" ("tenant_id" uuid not null, "reset_id" uuid not null, "user_id" uuid not null, "token_nonce" text not null, "token_digest" text not null, "created_at" timestamptz not null, "expires_at" timestamptz not null, primary key ("tenant_id", "reset_id"));`);
    this.addSql(`create index "password_resets_expiry" on "spine"."password_resets" ("expires_at");`);
    this.addSql(`create index "password_resets_user" on "spine"."password_resets" ("tenant_id", "user_id");`);
    this.addSql(`alter table "spine"."password_resets" add constraint "password_resets_token" unique ("token_digest");`);

    this.addSql(`create table "spine"."recovery_codes" ("tenant_id" uuid not null, "user_id" uuid not null, "code_digest" text not null, "created_at" timestamptz not null, primary key ("tenant_id", "user_id", "code_digest"));`);

    this.addSql(`create table "spine"."totp_factors" ("tenant_id" uuid not null, "factor_id" uuid not null, "user_id" uuid not null, "sealed_secret" text not null, "last_step" int not null, "created_at" timestamptz not null, "last_used_at" timestamptz null, primary key ("tenant_id", "factor_id"));`);
    this.addSql(`create index "totp_factors_user" on "spine"."totp_factors" ("tenant_id", "user_id");`);

    this.addSql(`alter table "spine"."oidc_artifacts" add "user_agent" text null, add "address" text null, add "seen_at" timestamptz null;`);

    this.addSql(`create index "mails_about" on "spine"."mails" ("tenant_id", "about");`);

    this.addSql(`alter table "spine"."password_resets" enable row level security;`);
    this.addSql(`alter table "spine"."password_resets" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."password_resets" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."password_resets" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "spine"."recovery_codes" enable row level security;`);
    this.addSql(`alter table "spine"."recovery_codes" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."recovery_codes" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "spine"."totp_factors" enable row level security;`);
    this.addSql(`alter table "spine"."totp_factors" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."totp_factors" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."totp_factors" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."password_resets" cascade;`);
    this.addSql(`drop table if exists "spine"."recovery_codes" cascade;`);
    this.addSql(`drop table if exists "spine"."totp_factors" cascade;`);

    this.addSql(`drop index "spine"."mails_about";`);

    this.addSql(`alter table "spine"."oidc_artifacts" drop column "user_agent", drop column "address", drop column "seen_at";`);
  }

}
