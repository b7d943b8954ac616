import { Migration } from '@mikro-orm/migrations';

export class Migration20261123181500_notification_lanes extends Migration {

  override name = 'Migration20261123181500_notification_lanes';

  override up(): void | Promise<void> {
    this.addSql(`alter table "spine"."notifications" add "lane" text not null default 'Common';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "spine"."notifications" drop column "lane";`);

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
