// Written by `npm run merge-migrations`.

export const auditLog = [
  `create table spine.audit_keys (
    key_id text not null,
    sealed_key text not null,
    created_at timestamptz not null,
    primary key (key_id)
  )`,
  `alter table spine.audit_keys enable row level security, force row level security`,
  `create policy worker on spine.audit_keys to "platform_worker" using (true) with check (true)`,
  `revoke all on spine.audit_keys from "spine_app"`,
  `grant select on spine.audit_keys to "spine_app"`,
  `revoke all on spine.audit_keys from "spine_worker"`,
  `grant insert, select, update on spine.audit_keys to "spine_worker"`,

  `create table spine.audit_records (
    tenant_id uuid not null,
    "position" bigint not null,
    record_id uuid not null,
    recorded_at timestamptz(3) not null,
    source text not null,
    operation text not null,
    outcome text not null,
    subject text,
    principal text,
    principal_type text,
    client_id text,
    agent text,
    agent_task_id text,
    approval_id text,
    trace_id text not null,
    code text,
    status int,
    count int,
    first_at timestamptz(3),
    personal_digest bytea,
    personal_salt bytea,
    address text,
    email text,
    user_agent text,
    hash bytea not null,
    primary key (tenant_id, "position")
  )`,
  `create index audit_records_email on spine.audit_records (tenant_id, lower(email), recorded_at, "position")
    where email is not null`,
  `create index audit_records_by_code on spine.audit_records (tenant_id, code, recorded_at, "position")
    where code is not null`,
  `create index audit_records_by_subject on spine.audit_records (tenant_id, subject, recorded_at, "position")
    where subject is not null`,
  `create index audit_records_by_principal on spine.audit_records (tenant_id, principal, recorded_at, "position")
    where principal is not null`,
  `create index audit_records_by_outcome on spine.audit_records (tenant_id, outcome, recorded_at, "position")`,
  `create index audit_records_by_operation on spine.audit_records (tenant_id, operation, recorded_at, "position")`,
  `create index audit_records_page on spine.audit_records (tenant_id, recorded_at, "position")`,
  `alter table spine.audit_records add constraint audit_records_record unique (tenant_id, record_id)`,
  `alter table spine.audit_records enable row level security, force row level security`,
  `create policy tenant on spine.audit_records
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.audit_records to "platform_worker" using (true) with check (true)`,
  `revoke all on spine.audit_records from "spine_app"`,
  `grant select on spine.audit_records to "spine_app"`,
  `revoke all on spine.audit_records from "spine_worker"`,
  `grant insert, select on spine.audit_records to "spine_worker"`,

  `create table spine.audit_heads (
    tenant_id uuid not null,
    "position" bigint not null,
    hash bytea not null,
    start_position bigint not null,
    start_hash bytea not null,
    unsealed_since timestamptz,
    retention_due_at timestamptz not null,
    primary key (tenant_id)
  )`,
  `create index audit_heads_retention on spine.audit_heads (retention_due_at)`,
  `create index audit_heads_unsealed on spine.audit_heads (unsealed_since) where unsealed_since is not null`,
  `alter table spine.audit_heads enable row level security, force row level security`,
  `create policy tenant on spine.audit_heads
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.audit_heads to "platform_worker" using (true) with check (true)`,
  `revoke all on spine.audit_heads from "spine_app"`,
  `grant select on spine.audit_heads to "spine_app"`,
  `revoke all on spine.audit_heads from "spine_worker"`,
  `grant insert, select, update on spine.audit_heads to "spine_worker"`,

  `create table spine.audit_seals (
    tenant_id uuid not null,
    "position" bigint not null,
    hash bytea not null,
    sealed_at timestamptz not null,
    jws text not null,
    primary key (tenant_id, "position")
  )`,
  `alter table spine.audit_seals enable row level security, force row level security`,
  `create policy tenant on spine.audit_seals
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.audit_seals to "platform_worker" using (true) with check (true)`,
  `revoke all on spine.audit_seals from "spine_app"`,
  `grant select on spine.audit_seals to "spine_app"`,
  `revoke all on spine.audit_seals from "spine_worker"`,
  `grant insert, select on spine.audit_seals to "spine_worker"`,

  `create table spine.audit_erasures (
    tenant_id uuid not null,
    user_id uuid not null,
    email text not null,
    requested_at timestamptz not null,
    erased_at timestamptz,
    primary key (tenant_id, user_id)
  )`,
  `alter table spine.audit_erasures enable row level security, force row level security`,
  `create policy tenant on spine.audit_erasures
    using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)
    with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid)`,
  `create policy worker on spine.audit_erasures to "platform_worker" using (true) with check (true)`,

  `create function spine.erase_audit_records(of_tenant uuid, of_principal text, of_email text, after_time timestamptz, after_position bigint, at_most int)
    returns table(last_time timestamptz, last_position bigint)
    language plpgsql
    security definer
    set search_path to 'spine', 'pg_temp'
    as $function$
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
      end $function$`,
  `revoke all on function spine.erase_audit_records(uuid, text, text, timestamptz, bigint, int) from public`,
  `grant execute on function spine.erase_audit_records(uuid, text, text, timestamptz, bigint, int) to "spine_worker"`,

  `create function spine.prune_audit_records(of_tenant uuid, through bigint, at_most int)
    returns int
    language plpgsql
    security definer
    set search_path to 'spine', 'pg_temp'
    as $function$
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
      end $function$`,
  `revoke all on function spine.prune_audit_records(uuid, bigint, int) from public`,
  `grant execute on function spine.prune_audit_records(uuid, bigint, int) to "spine_worker"`,
];
