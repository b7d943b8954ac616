import { createHash } from "node:crypto";
import { identifier, literal } from "../../connections/database-roles.js";
import { advisoryLocks } from "../../db/advisory-locks.js";

/** The functions that the request role may call, with their argument types. */
const open = {
  send_jobs: "text, text, timestamptz",
  tenant_jobs: "timestamptz, uuid, integer",
  failed_job: "uuid",
  redrive_job: "uuid",
} as const;

const ours = { ...open, acting_tenant: "" };

/** The columns in `tenant_jobs` and, with the payload, in `failed_job`. */
const columns = `id uuid, name text, state text, group_id text, singleton_key text, "position" text,
  created_on timestamptz, retry_count integer, retry_limit integer, output jsonb`;

/** The same columns in the table `job`, in the same order. */
export const jobColumns = `job.id, job.name, job.state::text as state, job.group_id, job.singleton_key,
  job.created_on::text as "position", job.created_on, job.retry_count, job.retry_limit, job.output`;

/** The queues to which requests may send, and their secondary queues. */
const listedQueues = (schema: string) => `array(select known.name || suffix.text
  from ${schema}.registered_queues known, (values (''), ('.alone')) suffix (text))`;

/**
 * The SQL functions through which requests use jobs. They run as the schema's owner (SECURITY DEFINER), so they qualify
 * every object with its schema. The only writable schema in their search path is `pg_temp`, which comes last; a path
 * without it would search it first (PostgreSQL, "Writing SECURITY DEFINER Functions Safely"). The tenant comes from
 * `app.tenant`, as in the row-level policies; `app.platform` has no effect here.
 */
const definitions = (schema: string): string => {
  const safely = "security definer set search_path = pg_catalog, pg_temp";
  return `
  create function ${schema}.acting_tenant() returns text language plpgsql stable
  set search_path = pg_catalog, pg_temp as $body$
  declare
    tenant uuid := nullif(current_setting('app.tenant', true), '')::uuid;
    bits varbit := B'00' || ('x' || replace(tenant::text, '-', ''))::bit(128);
  begin
    if tenant is null then
      raise exception 'The transaction names no tenant' using errcode = 'insufficient_privilege';
    end if;
    -- as encodeId in wire-id.ts
    return (select 'ten_' || string_agg(
        substr('0123456789abcdefghjkmnpqrstvwxyz', substring(bits from place * 5 + 1 for 5)::integer + 1, 1),
        '' order by place)
      from generate_series(0, 25) place);
  end $body$;

  -- the session keeps a plan: one that was made while the table was small must not read all of it later
  create function ${schema}.send_jobs(to_queue text, payloads text, not_before timestamptz) returns void
  language plpgsql volatile ${safely} set enable_seqscan = off as $body$
  declare
    me text := ${schema}.acting_tenant();
    target ${schema}.registered_queues;
    turn integer := 0;
    starts timestamptz := coalesce(not_before, ${schema}.job_now());
    alike_to timestamptz := starts + interval '15 minutes';
    alike_from timestamptz := case when starts > ${schema}.job_now() + interval '15 minutes'
      then starts - interval '15 minutes' else '-infinity' end;
  begin
    select known.* into target from ${schema}.registered_queues known where known.name = to_queue;
    if not found then
      raise exception 'Requests send no jobs to the queue %', to_queue using errcode = 'undefined_object';
    end if;
    if exists (select from jsonb_array_elements(payloads::jsonb) sent (data)
      where sent.data ->> 'tenantId' is distinct from me) then
      raise exception 'The payload names another tenant than the transaction' using errcode = 'insufficient_privilege';
    end if;
    -- Start-time fair queueing (Goyal, Vin, Cheng 1996) with jobs of one cost: after the tenant's own last waiting
    -- job, and not before what is served now. A job of the future does not hold that back, and counts only for
    -- those that start in the same quarter of an hour, so that it does not burden and delay all others.
    if target.fair then
      select greatest(
          1 + coalesce((select max(-job.priority) from ${schema}.job where job.name = to_queue and job.state < 'active'
            and not job.blocked and job.group_id = me and job.start_after between alike_from and alike_to), 0),
          coalesce((select -max(job.priority) from ${schema}.job where job.name = to_queue and job.state < 'active'
            and not job.blocked and job.start_after <= ${schema}.job_now()), 0)) into turn;
    end if;
    -- as pg-boss's insert
    insert into ${schema}.job (name, data, priority, start_after, created_on, singleton_key, group_id, group_tier,
      expire_seconds, deletion_seconds, keep_until, retry_limit, retry_delay, retry_backoff, retry_delay_max, policy, dead_letter,
      heartbeat_seconds)
    select queue.name, sent.data, -turn, start.at, ${schema}.job_now(), sent.data ->> target.subject, me,
      sent.data ->> 'runningLimit', queue.expire_seconds, queue.deletion_seconds, start.at + queue.retention_seconds * interval '1 s',
      queue.retry_limit, queue.retry_delay, queue.retry_backoff, queue.retry_delay_max, queue.policy,
      queue.dead_letter, queue.heartbeat_seconds
    from ${schema}.queue, jsonb_array_elements(payloads::jsonb) sent (data),
      (select starts as at) start
    where queue.name = to_queue
    on conflict do nothing;
  end $body$;

  create function ${schema}.tenant_jobs(before_at timestamptz, before_id uuid, at_most integer) returns table (${columns})
  language sql stable ${safely} as $body$
    select ${jobColumns} from ${schema}.job
    where job.group_id = ${schema}.acting_tenant() and job.name = any(${listedQueues(schema)})
      and job.state in ('retry', 'active', 'failed')
      and (before_at is null or (job.created_on, job.id) < (before_at, before_id))
    order by job.created_on desc, job.id desc limit at_most
  $body$;

  -- locks a failed job only: workers update those that wait or run, and must not wait for a request
  create function ${schema}.failed_job(job_id uuid) returns table (${columns}, data jsonb, ending boolean)
  language plpgsql volatile ${safely} as $body$
  declare
    me text := ${schema}.acting_tenant();
  begin
    perform from ${schema}.job where job.id = job_id and job.group_id = me and job.state = 'failed' for update;
    return query select ${jobColumns}, job.data, exists (select from ${schema}.job dead
        where dead.source_root_id = job_id and dead.name like '%.dead' and dead.state < 'completed')
      from ${schema}.job
      where job.id = job_id and job.group_id = me and job.name = any(${listedQueues(schema)})
        and job.state in ('retry', 'active', 'failed', 'cancelled');
  end $body$;

  create function ${schema}.redrive_job(job_id uuid) returns void language plpgsql volatile ${safely} as $body$
  declare
    found_job record;
    base text;
  begin
    select * into found_job from ${schema}.failed_job(job_id);
    base := regexp_replace(found_job.name, '[.]alone$', '');
    if found_job.state is distinct from 'failed' or found_job.ending
      or not exists (select from ${schema}.registered_queues known where known.name = base and known.redrivable) then
      raise exception 'The job % cannot be sent again', job_id using errcode = 'object_not_in_prerequisite_state';
    end if;
    update ${schema}.job set state = 'cancelled' where job.name = found_job.name and job.id = job_id;
    perform ${schema}.send_jobs(base, jsonb_build_array(found_job.data)::text, null);
  end $body$;`;
};

/**
 * Revokes a jobs schema's tables from `role` and grants these functions. The tables were open in earlier releases. The
 * functions are created again when their text has changed, which their comment shows. Several processes that start at
 * once take turns.
 */
export function jobAccess(schema: string, role: string): string {
  const [roleName, grantee] = [literal(role), identifier(role)];
  const definitionTexts = definitions(schema);
  const version = `factory ${createHash("sha256").update(definitionTexts).digest("hex")}`;
  const signatures = Object.entries(ours).map(([name, types]) => `${schema}.${name}(${types})`);
  const grantedFunctions = Object.entries(open).map(([name, types]) => `${schema}.${name}(${types})`);
  const names = Object.keys(ours).map((name) => `'${name}'`);
  return `
  begin;
  select pg_advisory_xact_lock(${advisoryLocks.jobFunctions}, hashtext('${schema}'));
  create table if not exists ${schema}.registered_queues (
    name text primary key references ${schema}.queue (name) on delete cascade,
    fair boolean not null,
    subject text,
    redrivable boolean not null
  );
  do $setup_of_jobs$
  declare
    stale regprocedure;
  begin
    if exists (select from unnest(array['${signatures.join("', '")}']) signature
      where obj_description(to_regprocedure(signature), 'pg_proc') is distinct from '${version}') then
      for stale in select oid::regprocedure from pg_proc
        where pronamespace = '${schema}'::regnamespace and proname in (${names.join(", ")}) loop
        execute 'drop function ' || stale;
      end loop;
      ${definitionTexts}
      ${signatures.map((signature) => `comment on function ${signature} is '${version}';`).join("\n      ")}
    end if;
    if exists (select from pg_proc where pronamespace = '${schema}'::regnamespace
      and (has_function_privilege('public', oid, 'execute')
        or has_function_privilege(${roleName}, oid, 'execute') <> (oid = any(array['${grantedFunctions.join("', '")}']::regprocedure[])))) then
      revoke all on all functions in schema ${schema} from public, ${grantee};
      grant execute on function ${grantedFunctions.join(", ")} to ${grantee};
    end if;
    if exists (select from pg_class, aclexplode(relacl) where relnamespace = '${schema}'::regnamespace
      and grantee in (0, (select oid from pg_roles where rolname = ${roleName}))) then
      revoke all on all tables in schema ${schema} from public, ${grantee};
      revoke all on all sequences in schema ${schema} from public, ${grantee};
    end if;
  end $setup_of_jobs$;
  commit;
`;
}
