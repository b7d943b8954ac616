// tables: runs

/** $1: tenant, $2: connection. The runs of a connection that have not ended, the oldest first. */
export const openRuns = {
  name: "connection_open_runs",
  text: `select run_id from runs where tenant_id = $1 and connection_id = $2
      and status in ('Queued', 'Running', 'RetryScheduled') order by run_id limit 200`,
};
