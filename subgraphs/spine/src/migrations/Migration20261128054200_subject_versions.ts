import { Migration } from '@mikro-orm/migrations';

/** The tables whose rows the migration reads or changes. The owner, too, sees rows of a tenant only, unless it is let off. */
const tables = ['users', 'api_clients', 'revocations', 'oidc_artifacts', 'subject_versions'];

/** What the former release refused: a time in epoch seconds before a `tokens_from` and its margin. */
const isBefore = (seconds: string, tokensFrom: string) => `${seconds} * 1000 < extract(epoch from ${tokensFrom}) * 1000 + 250`;

/** `usr_` and 26 characters of Crockford base32: two zero bits, then the 128 bits of the UUID. */
const accountId = `'usr_' || (select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
    substring(B'00' || ('x' || replace(user_id::text, '-', ''))::bit(128) from place * 5 + 1 for 5)::int + 1, 1), '' order by place)
  from generate_series(0, 25) place)`;

export class Migration20261128054200_subject_versions extends Migration {

  override name = 'Migration20261128054200_subject_versions';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."subject_versions" ("tenant_id" uuid not null, "kind" text not null, "subject" text not null, "version" bigint not null, primary key ("tenant_id", "kind", "subject"));`);
    this.addSql(`alter table "spine"."subject_versions" enable row level security;`);
    this.addSql(`create policy "tenant" on "spine"."subject_versions" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "worker" on "spine"."subject_versions" to "platform_worker" using (true) with check (true);`);
    this.addSql(`alter table "spine"."users" add "sign_in_version" int not null default 0;`);
    this.addSql(`alter table "spine"."revocations" add "version" bigint not null default 1;`);
    this.addSql(`alter table "spine"."revocations" add "written_by" xid8 not null default pg_current_xact_id();`);
    for (const table of tables) this.addSql(`alter table "spine"."${table}" no force row level security;`);

    // Tokens of the former release have no versions, so the revocations that are in force still cover them.
    this.addSql(`update "spine"."revocations" stored set version = numbered.version from (
        select tenant_id, revocation_id, row_number() over (
          partition by tenant_id, case when kind like 'Tenant%' then 'Tenant' else kind end, subject
          order by revoked_at, revocation_id) as version
        from "spine"."revocations" where kind not in ('Token', 'Grant')) numbered
      where stored.tenant_id = numbered.tenant_id and stored.revocation_id = numbered.revocation_id;`);
    this.addSql(`insert into "spine"."subject_versions" (tenant_id, kind, subject, version)
      select tenant_id, case when kind like 'Tenant%' then 'Tenant' else kind end, subject, max(version)
      from "spine"."revocations" where kind not in ('Token', 'Grant') group by 1, 2, 3;`);

    // No user and no client has the version -1: what the former release refused is refused from now on.
    this.addSql(`create temporary table changed_users on commit drop as
      select ${accountId} as account_id, tokens_from from "spine"."users" where tokens_from is not null;`);
    this.addSql(`update "spine"."oidc_artifacts" session set payload = payload || '{"signInVersion": -1}'
      from changed_users person where session.kind = 'Session' and session.account_id = person.account_id
        and ${isBefore("coalesce((payload->>'loginTs')::float8, 0)", 'person.tokens_from')};`);
    this.addSql(`update "spine"."oidc_artifacts" interaction set payload = jsonb_set(payload, '{result,login,signInVersion}', '-1')
      from changed_users person where interaction.kind = 'Interaction'
        and payload->'result'->'login'->>'accountId' = person.account_id
        and ${isBefore("coalesce((payload->'result'->'login'->>'ts')::float8, 0)", 'person.tokens_from')};`);
    this.addSql(`update "spine"."oidc_artifacts" stored set payload = payload || jsonb_build_object('versions', made.versions)
      from (
        select family.id_digest, jsonb_build_object(
          'signIn', case when exists (select from "spine"."oidc_artifacts" token
              where token.grant_id = family.grant_id and token.kind in ('RefreshToken', 'AuthorizationCode')
                and ${isBefore("coalesce(token.payload->>'authTime', token.payload->>'iiat', token.payload->>'iat')::float8", 'person.tokens_from')})
            then -1 else 0 end,
          'client', case when exists (select from "spine"."oidc_artifacts" token
              where token.grant_id = family.grant_id and token.kind in ('RefreshToken', 'AuthorizationCode')
                and ${isBefore("coalesce(token.payload->>'iiat', token.payload->>'iat')::float8", 'client.tokens_from')})
            then -1 else coalesce(known.version, 0) end) as versions
        from "spine"."oidc_artifacts" family
        left join changed_users person on person.account_id = family.account_id
        left join "spine"."api_clients" client on client.client_id = family.payload->>'clientId'
        left join "spine"."subject_versions" known on known.tenant_id = client.tenant_id and known.kind = 'Client'
          and known.subject = client.client_id
        where family.kind = 'Grant'
          and (person.account_id is not null or client.tokens_from is not null or known.version is not null)) made
      where stored.kind = 'Grant' and stored.id_digest = made.id_digest;`);

    for (const table of tables) this.addSql(`alter table "spine"."${table}" force row level security;`);
    this.addSql(`alter table "spine"."revocations" alter column "version" drop default;`);
    this.addSql(`drop index "spine"."revocations_since";`);
    this.addSql(`alter table "spine"."revocations" drop column "revoked_at";`);
    this.addSql(`create index "revocations_since" on "spine"."revocations" ("written_by");`);
    this.addSql(`create index "revocations_subject" on "spine"."revocations" ("subject", "kind");`);
    this.addSql(`alter table "spine"."users" drop column "tokens_from";`);
    this.addSql(`alter table "spine"."api_clients" drop column "tokens_from";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."api_clients" add "tokens_from" timestamptz null;`);
    this.addSql(`alter table "spine"."users" add "tokens_from" timestamptz null;`);
    this.addSql(`drop index "spine"."revocations_subject";`);
    this.addSql(`drop index "spine"."revocations_since";`);
    this.addSql(`alter table "spine"."revocations" add "revoked_at" timestamptz not null default now();`);
    this.addSql(`alter table "spine"."revocations" alter column "revoked_at" drop default;`);
    this.addSql(`create index "revocations_since" on "spine"."revocations" ("revoked_at");`);
    this.addSql(`alter table "spine"."revocations" drop column "written_by";`);
    this.addSql(`alter table "spine"."revocations" drop column "version";`);
    this.addSql(`alter table "spine"."users" drop column "sign_in_version";`);
    this.addSql(`drop table if exists "spine"."subject_versions" cascade;`);
  }

}
