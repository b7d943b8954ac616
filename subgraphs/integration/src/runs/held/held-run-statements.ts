/**
 * The fencing number in held runs. Only the process that has begun a held run ends it, unless it is lost or cancelled.
 */
export const heldFence = 1;

/** Inserts Running runs for one tenant. */
export const insertHeldRuns = {
  name: "held_runs_insert",
  text: `insert into runs (tenant_id, run_id, connection_id, project_id, operation, status, attempts, max_attempts, fence,
      payload, correlation_id, traceparent, requested_by, started_at, deadline_at, steps)
    select $1, run_id, connection_id, project_id, operation, 'Running', 1, 1, ${heldFence},
      payload, correlation_id, traceparent, requested_by, now(), now() + make_interval(secs => seconds),
      jsonb_build_array(jsonb_build_object('status', 'Running', 'at', now()))
    from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::jsonb[], $7::text[], $8::text[], $9::text[],
        $10::float8[])
      as held(run_id, connection_id, project_id, operation, payload, correlation_id, traceparent, requested_by, seconds)`,
};

/**
 * Ends one tenant's runs, and returns those that were still held, with the payload member that was taken. The rows are
 * locked in one order.
 */
export const endHeldRuns = {
  name: "held_runs_end",
  text: `with held as (select run_id, payload from runs where tenant_id = $1 and run_id = any($2::uuid[])
      order by run_id for update)
    update runs set status = ended.status, completed_at = now(), next_attempt_at = null, deadline_at = null,
      result = ended.result, error_code = ended.code, error_detail = ended.detail,
      payload = case when ended.taking is null then runs.payload else runs.payload - ended.taking end,
      steps = steps || jsonb_build_array(jsonb_build_object('status', ended.status, 'at', now()))
    from held join unnest($2::uuid[], $3::text[], $4::jsonb[], $5::text[], $6::text[], $7::text[])
      as ended(run_id, status, result, code, detail, taking) on held.run_id = ended.run_id
    where runs.tenant_id = $1 and runs.run_id = ended.run_id and runs.status = 'Running' and runs.fence = ${heldFence}
    returning runs.run_id, held.payload -> ended.taking as taken`,
};

export const describeHeldRun = {
  name: "held_run_describe",
  text: `update runs set payload = $3
    where tenant_id = $1 and run_id = $2 and status = 'Running' and fence = ${heldFence} returning run_id`,
};

export const takeFromHeldRun = {
  name: "held_run_take",
  text: `with held as (select payload from runs where tenant_id = $1 and run_id = $2 for update)
    update runs set payload = runs.payload - $3::text from held
    where tenant_id = $1 and run_id = $2 and held.payload -> $3::text is not null
    returning held.payload -> $3::text as taken`,
};
