import { Migration } from '@mikro-orm/migrations';

export class Migration20261128014107_protected_settings extends Migration {

  override name = 'Migration20261128014107_protected_settings';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."user_origins" ("tenant_id" uuid not null, "principal" text not null, "invited_by" text[] not null, "joined_at" timestamptz not null, "confirmed_by" text null, "confirmed_at" timestamptz null, primary key ("tenant_id", "principal"));`);
    this.addSql(`create index "user_origins_expired" on "spine"."user_origins" ("joined_at");`);

    this.addSql(`alter table "spine"."approvals" add "setting" jsonb null;`);
    this.addSql(`create index approvals_settings on approvals (approval_id) where setting is not null and status = 'Pending';`);
    this.addSql(`create policy "waiting" on "spine"."approvals" for select to "platform_worker" using (setting is not null and status = 'Pending');`);

    // the owner, too, sees rows of a tenant only, unless it is let off
    for (const table of ["invitations", "users"])
      this.addSql(`alter table "spine"."${table}" no force row level security;`);
    this.addSql(`alter table "spine"."invitations" add "inviters" text[] null;`);
    this.addSql(`update "spine"."invitations" set inviters = array[invited_by];`);
    this.addSql(`alter table "spine"."invitations" alter "inviters" set not null;`);
    // the text form of the user's ID: Crockford base32 of two zero bits and the 128 bits of the UUID
    this.addSql(`insert into "spine"."user_origins" (tenant_id, principal, invited_by, joined_at)
      select invitation.tenant_id, 'usr_' || letters.text, invitation.inviters, person.created_at
      from "spine"."invitations" invitation
        join "spine"."users" person on person.tenant_id = invitation.tenant_id and person.user_id = invitation.user_id
        cross join lateral (
          select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
              substring(B'00' || ('x' || replace(person.user_id::text, '-', ''))::bit(128) from 5 * place + 1 for 5)::bit(5)::int + 1, 1),
            '' order by place) as text
          from generate_series(0, 25) as place) letters
      where invitation.status = 'Accepted' and person.created_at > now() - interval '30 days';`);
    for (const table of ["invitations", "users"])
      this.addSql(`alter table "spine"."${table}" force row level security;`);

    this.addSql(`alter table "spine"."user_origins" enable row level security;`);
    this.addSql(`alter table "spine"."user_origins" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."user_origins" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "expired" on "spine"."user_origins" to "platform_worker" using (joined_at < now() - '30 days'::interval);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."user_origins" cascade;`);

    this.addSql(`drop policy "waiting" on "spine"."approvals";`);

    this.addSql(`drop index "spine"."approvals_settings";`);
    this.addSql(`alter table "spine"."approvals" drop column "setting";`);

    this.addSql(`alter table "spine"."invitations" drop column "inviters";`);
  }

}
