import { Migration } from '@mikro-orm/migrations';

export class Migration20261121123829_identity extends Migration {

  override name = 'Migration20261121123829_identity';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."approvals" ("tenant_id" uuid not null, "approval_id" uuid not null, "agent_task_id" text not null, "agent_client_id" text not null, "subject" text not null, "scopes" text[] not null, "scope_key" text not null, "status" text not null, "requested_at" timestamptz not null, "valid_until" timestamptz not null, "decided_by" text null, "decided_at" timestamptz null, "comment" text null, primary key ("tenant_id", "approval_id"));`);
    this.addSql(`create index "approvals_page" on "spine"."approvals" ("tenant_id", "requested_at", "approval_id");`);
    this.addSql(`create unique index approvals_open on approvals (tenant_id, agent_client_id, agent_task_id, subject, scope_key) where status = 'Pending';`);

    this.addSql(`create table "spine"."invitations" ("tenant_id" uuid not null, "invitation_id" uuid not null, "email" text not null, "email_key" text not null, "display_name" text null, "role_codes" text[] not null, "status" text not null, "token_nonce" text not null, "token_digest" text not null, "invited_by" text not null, "user_id" uuid null, "expires_at" timestamptz not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("tenant_id", "invitation_id"));`);
    this.addSql(`alter table "spine"."invitations" add constraint "invitations_token" unique ("token_digest");`);
    this.addSql(`create index "invitations_page" on "spine"."invitations" ("tenant_id", "created_at", "invitation_id");`);
    this.addSql(`create unique index invitations_pending on invitations (tenant_id, email_key) where status = 'Pending';`);

    this.addSql(`create table "spine"."oidc_artifacts" ("kind" text not null, "id_digest" text not null, "payload" jsonb not null, "grant_id" text null, "uid_digest" text null, "account_id" text null, "consumed_at" timestamptz null, "expires_at" timestamptz not null, primary key ("kind", "id_digest"));`);
    this.addSql(`create index "oidc_artifacts_grant" on "spine"."oidc_artifacts" ("grant_id");`);
    this.addSql(`create index "oidc_artifacts_uid" on "spine"."oidc_artifacts" ("uid_digest");`);
    this.addSql(`create index "oidc_artifacts_account" on "spine"."oidc_artifacts" ("account_id");`);
    this.addSql(`create index "oidc_artifacts_expiry" on "spine"."oidc_artifacts" ("expires_at");`);

    this.addSql(`create table "spine"."revocations" ("tenant_id" uuid not null, "revocation_id" uuid not null, "kind" text not null, "subject" text not null, "revoked_at" timestamptz not null, "expires_at" timestamptz not null, primary key ("tenant_id", "revocation_id"));`);
    this.addSql(`create index "revocations_since" on "spine"."revocations" ("revoked_at");`);
    this.addSql(`create index "revocations_expiry" on "spine"."revocations" ("expires_at");`);

    this.addSql(`create table "spine"."roles" ("tenant_id" uuid not null, "role_id" uuid not null, "code" text not null, "name" text not null, "description" text null, "scopes" text[] not null, "is_system" boolean not null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("tenant_id", "role_id"));`);
    this.addSql(`create index "roles_page" on "spine"."roles" ("tenant_id", "created_at", "role_id");`);
    this.addSql(`create unique index roles_code on roles (tenant_id, lower(code));`);

    this.addSql(`create table "spine"."role_assignments" ("tenant_id" uuid not null, "assignment_id" uuid not null, "role_id" uuid not null, "principal_id" text not null, "assigned_by" text not null, "assigned_at" timestamptz not null, "expires_at" timestamptz null, primary key ("tenant_id", "assignment_id"));`);
    this.addSql(`create index "role_assignments_role" on "spine"."role_assignments" ("tenant_id", "role_id", "assigned_at", "assignment_id");`);
    this.addSql(`alter table "spine"."role_assignments" add constraint "role_assignments_once" unique ("tenant_id", "principal_id", "role_id");`);

    this.addSql(`create table "spine"."users" ("tenant_id" uuid not null, "user_id" uuid not null, "email" text not null, "email_key" text not null, "display_name" text null, "status" text not null, "password_hash" text not null, "last_login_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("tenant_id", "user_id"));`);
    this.addSql(`create index "users_page" on "spine"."users" ("tenant_id", "created_at", "user_id");`);
    this.addSql(`create index "users_sign_in" on "spine"."users" ("email_key");`);
    this.addSql(`create unique index users_email on users (tenant_id, email_key) where status <> 'Deleted';`);

    this.addSql(`alter table "spine"."api_clients" add "redirect_uris" text[] not null default '{}', add "first_party" boolean not null default false, add "is_public" boolean not null default false;`);

    this.addSql(`alter table "spine"."signing_keys" add "signs_from" timestamptz not null default now(), add "retires_at" timestamptz null;`);

    this.addSql(`alter table "spine"."approvals" enable row level security;`);
    this.addSql(`alter table "spine"."approvals" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."approvals" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "spine"."invitations" enable row level security;`);
    this.addSql(`alter table "spine"."invitations" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."invitations" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."invitations" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "spine"."oidc_artifacts" enable row level security;`);
    this.addSql(`alter table "spine"."oidc_artifacts" force row level security;`);
    this.addSql(`create policy "worker" on "spine"."oidc_artifacts" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "spine"."revocations" enable row level security;`);
    this.addSql(`alter table "spine"."revocations" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."revocations" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."revocations" to "platform_worker" using (true) with check (true);`);

    this.addSql(`alter table "spine"."roles" enable row level security;`);
    this.addSql(`alter table "spine"."roles" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."roles" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "spine"."role_assignments" enable row level security;`);
    this.addSql(`alter table "spine"."role_assignments" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."role_assignments" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);

    this.addSql(`alter table "spine"."users" enable row level security;`);
    this.addSql(`alter table "spine"."users" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."users" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."users" to "platform_worker" using (true) with check (true);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."approvals" cascade;`);
    this.addSql(`drop table if exists "spine"."invitations" cascade;`);
    this.addSql(`drop table if exists "spine"."oidc_artifacts" cascade;`);
    this.addSql(`drop table if exists "spine"."revocations" cascade;`);
    this.addSql(`drop table if exists "spine"."roles" cascade;`);
    this.addSql(`drop table if exists "spine"."role_assignments" cascade;`);
    this.addSql(`drop table if exists "spine"."users" cascade;`);

    this.addSql(`alter table "spine"."api_clients" drop column "redirect_uris", drop column "first_party", drop column "is_public";`);

    this.addSql(`alter table "spine"."signing_keys" drop column "signs_from", drop column "retires_at";`);
  }

}
