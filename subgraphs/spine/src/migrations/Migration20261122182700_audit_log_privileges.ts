import { Migration } from "@mikro-orm/migrations";

/**
 * The audit log is append-only for the roles of the application. The two functions run as the owner of the tables, for
 * which row-level security is forced, so each sets the tenant whose rows it may reach.
 */
export class Migration20261122182700_audit_log_privileges extends Migration {
  override name = "Migration20261122182700_audit_log_privileges";

  override up(): void | Promise<void> {
    // by "all", since a server refuses the name of a privilege that a later version has added
    for (const table of ["audit_records", "audit_heads", "audit_seals", "audit_keys"]) {
      this.addSql(`revoke all on spine.${table} from "spine_app";`);
      this.addSql(`grant select on spine.${table} to "spine_app";`);
    }
    for (const table of ["audit_records", "audit_seals"])
      this.addSql(`revoke update, delete, truncate on spine.${table} from "spine_worker";`);
    for (const table of ["audit_heads", "audit_keys"])
      this.addSql(`revoke delete, truncate on spine.${table} from "spine_worker";`);

    this.addSql(`create function spine.erase_audit_records(of_tenant uuid, of_principal text, of_email text,
        after_time timestamptz, after_position bigint, at_most int)
      returns table (last_time timestamptz, last_position bigint)
      language plpgsql security definer set search_path = spine, pg_temp as $$
      begin
        perform set_config('app.tenant', of_tenant::text, true);
        if of_principal is not null then
          return query with due as materialized (
              select record.recorded_at, record.position from audit_records record
              where record.tenant_id = of_tenant and record.principal = of_principal
                and (record.recorded_at, record.position) > (after_time, after_position)
              order by record.recorded_at, record.position limit at_most),
            erased as (update audit_records record
              set address = null, email = null, user_agent = null, personal_salt = null
              from due where record.tenant_id = of_tenant and record.position = due.position
                and record.personal_salt is not null)
            select due.recorded_at, due.position from due order by 1 desc, 2 desc limit 1;
        else
          return query with due as materialized (
              select record.recorded_at, record.position from audit_records record
              where record.tenant_id = of_tenant and record.email is not null and lower(record.email) = lower(of_email)
                and (record.recorded_at, record.position) > (after_time, after_position)
              order by record.recorded_at, record.position limit at_most),
            erased as (update audit_records record
              set address = null, email = null, user_agent = null, personal_salt = null
              from due where record.tenant_id = of_tenant and record.position = due.position)
            select due.recorded_at, due.position from due order by 1 desc, 2 desc limit 1;
        end if;
      end $$;`);

    this.addSql(`create function spine.prune_audit_records(of_tenant uuid, through bigint, at_most int) returns int
      language plpgsql security definer set search_path = spine, pg_temp as $$
      declare
        sealed audit_seals;
        deleted int;
      begin
        perform set_config('app.tenant', of_tenant::text, true);
        select * into sealed from audit_seals seal
          where seal.tenant_id = of_tenant and seal.position = through and seal.sealed_at < now() - interval '30 days';
        if not found then
          raise exception 'No seal of 30 days covers the position % of the audit log', through;
        end if;
        update audit_heads head set start_position = through, start_hash = sealed.hash
          where head.tenant_id = of_tenant and head.start_position < through;
        delete from audit_seals seal where seal.tenant_id = of_tenant and seal.position < through;
        delete from audit_records record where record.tenant_id = of_tenant and record.position in (
          select old.position from audit_records old where old.tenant_id = of_tenant and old.position <= through
          order by old.position limit at_most);
        get diagnostics deleted = row_count;
        return deleted;
      end $$;`);

    for (const called of [
      "erase_audit_records(uuid, text, text, timestamptz, bigint, int)",
      "prune_audit_records(uuid, bigint, int)",
    ]) {
      this.addSql(`revoke all on function spine.${called} from public;`);
      this.addSql(`grant execute on function spine.${called} to "spine_worker";`);
    }
  }

  override down(): void | Promise<void> {
    this.addSql("drop function spine.erase_audit_records(uuid, text, text, timestamptz, bigint, int);");
    this.addSql("drop function spine.prune_audit_records(uuid, bigint, int);");
    for (const table of ["audit_records", "audit_heads", "audit_seals", "audit_keys"])
      this.addSql(`grant insert, update, delete on spine.${table} to "spine_app", "spine_worker";`);
  }
}
