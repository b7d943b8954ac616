import { Migration } from '@mikro-orm/migrations';

export class Migration20261123143841_notification_channels extends Migration {

  override name = 'Migration20261123143841_notification_channels';

  override up(): void | Promise<void> {
    this.addSql(`create table "spine"."notification_digests" ("tenant_id" uuid not null, "digest_id" uuid not null, "recipient_key" text not null, "digest_key" text not null, "closes_at" timestamptz not null, "is_closed" boolean not null default false, "members" int not null, primary key ("tenant_id", "digest_id"));`);
    this.addSql(`create index "notification_digests_closes" on "spine"."notification_digests" ("closes_at");`);
    this.addSql(`create unique index notification_digests_open on notification_digests (tenant_id, recipient_key, digest_key) where not is_closed;`);

    this.addSql(`create table "spine"."notification_digest_members" ("tenant_id" uuid not null, "notification_id" uuid not null, "digest_id" uuid not null, "joined_at" timestamptz not null, primary key ("tenant_id", "notification_id"));`);
    this.addSql(`create index "notification_digest_members_joined" on "spine"."notification_digest_members" ("joined_at");`);
    this.addSql(`create index "notification_digest_members_of" on "spine"."notification_digest_members" ("tenant_id", "digest_id", "notification_id");`);

    this.addSql(`create table "spine"."notification_slots" ("tenant_id" uuid not null, "notification_id" uuid not null, "recipient_key" text not null, "due_at" timestamptz not null, primary key ("tenant_id", "notification_id"));`);
    this.addSql(`create index "notification_slots_due" on "spine"."notification_slots" ("due_at");`);
    this.addSql(`create index "notification_slots_recipient" on "spine"."notification_slots" ("tenant_id", "recipient_key", "due_at");`);

    this.addSql(`create table "spine"."unsubscribed_addresses" ("tenant_id" uuid not null, "address_digest" text not null, "category" text not null, "created_at" timestamptz not null, primary key ("tenant_id", "address_digest", "category"));`);

    this.addSql(`alter table "spine"."notification_messages" add "digest_key" text null, add "digest_seconds" int null;`);

    this.addSql(`alter table "spine"."notification_digests" enable row level security;`);
    this.addSql(`alter table "spine"."notification_digests" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."notification_digests" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "expired" on "spine"."notification_digests" to "platform_worker" using (closes_at < now() - '7 days'::interval);`);

    this.addSql(`alter table "spine"."notification_digest_members" enable row level security;`);
    this.addSql(`alter table "spine"."notification_digest_members" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."notification_digest_members" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "expired" on "spine"."notification_digest_members" to "platform_worker" using (joined_at < now() - '8 days'::interval);`);

    this.addSql(`alter table "spine"."notification_slots" enable row level security;`);
    this.addSql(`alter table "spine"."notification_slots" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."notification_slots" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
    this.addSql(`create policy "expired" on "spine"."notification_slots" to "platform_worker" using (due_at < now() - '2 days'::interval);`);

    this.addSql(`alter table "spine"."unsubscribed_addresses" enable row level security;`);
    this.addSql(`alter table "spine"."unsubscribed_addresses" force row level security;`);
    this.addSql(`create policy "tenant" on "spine"."unsubscribed_addresses" using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "spine"."notification_digests" cascade;`);
    this.addSql(`drop table if exists "spine"."notification_digest_members" cascade;`);
    this.addSql(`drop table if exists "spine"."notification_slots" cascade;`);
    this.addSql(`drop table if exists "spine"."unsubscribed_addresses" cascade;`);

    this.addSql(`alter table "spine"."notification_messages" drop column "digest_key", drop column "digest_seconds";`);

    this.addSql(`create or replace function "spine"."erase_audit_records"("of_tenant" uuid, "of_principal" text, "of_email" text, "after_time" timestamp with time zone, "after_position" bigint, "at_most" integer) returns TABLE(last_time timestamp with time zone, last_position bigint) security definer volatile language plpgsql as \$\$ begin perform set_config('app.tenant', of_tenant::text, true);         if of_principal is not null then
          return query with due as materialized (
              select record.recorded_at, record.position from audit_records record
              where record.tenant_id = of_tenant and record.principal = of_principal
                and (record.recorded_at, record.position) > (after_time, after_position)
              order by record.recorded_at, record.position limit at_most),
            erased as (update audit_records record
              set address = null, email = null, user_agent = null, personal_salt = null
              from due where record.tenant_id = of_tenant and record.position = due.position
                and record.personal_salt is not null)
            select due.recorded_at, due.position from due order by 1 desc, 2 desc limit 1;         else
          return query with due as materialized (
              select record.recorded_at, record.position from audit_records record
              where record.tenant_id = of_tenant and record.email is not null and lower(record.email) = lower(of_email)
                and (record.recorded_at, record.position) > (after_time, after_position)
              order by record.recorded_at, record.position limit at_most),
            erased as (update audit_records record
              set address = null, email = null, user_agent = null, personal_salt = null
              from due where record.tenant_id = of_tenant and record.position = due.position)
            select due.recorded_at, due.position from due order by 1 desc, 2 desc limit 1;         end if; end \$\$;`);

    this.addSql(`create or replace function "spine"."prune_audit_records"("of_tenant" uuid, "through" bigint, "at_most" integer) returns integer security definer volatile language plpgsql as \$\$ begin declare
        sealed audit_seals;         deleted int;       begin
        perform set_config('app.tenant', of_tenant::text, true);         select * into sealed from audit_seals seal
          where seal.tenant_id = of_tenant and seal.position = through and seal.sealed_at < now() - interval '30 days';         if not found then
          raise exception 'No seal of 30 days covers the position % of the audit log', through;         end if;         update audit_heads head set start_position = through, start_hash = sealed.hash
          where head.tenant_id = of_tenant and head.start_position < through;         delete from audit_seals seal where seal.tenant_id = of_tenant and seal.position < through;         delete from audit_records record where record.tenant_id = of_tenant and record.position in (
          select old.position from audit_records old where old.tenant_id = of_tenant and old.position <= through
          order by old.position limit at_most);         get diagnostics deleted = row_count;         return deleted;       end; end \$\$;`);
  }

}
