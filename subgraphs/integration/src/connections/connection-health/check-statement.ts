// tables: connections, connection_tokens, providers, runs

import { namedStatement } from "@factory/runtime/db/named-parameters";
import { runWaits } from "../../runs/run.states.js";

/** Checks by schedule that run at the same time, in all processes together. */
const checkLimits = {
  maxTotal: 8,
  maxPerTenant: 2,
  /** A run that is open for longer waits for a database or a repair, and holds no place. */
  openMinutes: 10,
} as const;

/**
 * $1: now. Finds due connections: for each tenant the longest due ones, as many as it may check now. A loose index scan
 * takes two steps for each tenant, however many connections it has.
 */
export const dueConnections = {
  name: "connections_due",
  text: `
    with recursive tenant as (
      (select tenant_id from connections where status = 'Active' and next_probe_at is not null
        order by tenant_id limit 1)
      union all
      select (select tenant_id from connections where status = 'Active' and next_probe_at is not null
          and tenant_id > tenant.tenant_id order by tenant_id limit 1)
      from tenant where tenant.tenant_id is not null),
    open as materialized (
      select tenant_id, count(*)::int as checks from runs
      where ${runWaits} and operation = 'CheckHealth' and created_at > now() - interval '${checkLimits.openMinutes} minutes'
      group by tenant_id)
    select due.tenant_id, due.connection_id
    from tenant left join open using (tenant_id)
    cross join lateral (
      select tenant_id, connection_id, next_probe_at from connections
      where tenant_id = tenant.tenant_id and status = 'Active' and next_probe_at <= $1
      order by next_probe_at
      limit greatest(0, ${checkLimits.maxPerTenant} - coalesce(open.checks, 0))) due
    order by coalesce(open.checks, 0), due.next_probe_at
    limit greatest(0, ${checkLimits.maxTotal} - (select coalesce(sum(checks), 0) from open))`,
};

/** Locks a connection whose check is due at $3. No row: another process has begun it, or it is not due. */
export const lockDueConnection = {
  name: "connection_lock_due",
  text: `select project_id from connections
    where tenant_id = $1 and connection_id = $2 and status = 'Active' and next_probe_at <= $3
    for no key update skip locked`,
};

/** Locks a connection that its tenant wants to be checked. */
export const lockCheckedConnection = {
  name: "connection_lock_checked",
  text: `select project_id from connections
    where tenant_id = $1 and connection_id = $2 and status <> 'Deleted' for no key update`,
};

/** The connection's open check. */
export const openCheck = {
  name: "connection_open_check",
  text: `select run_id from runs where tenant_id = $1 and connection_id = $2 and ${runWaits}
      and operation in ('CheckHealth', 'VerifyConnection')
    order by run_id desc limit 1`,
};

export const checkBegun = namedStatement(
  "connection_check_begun",
  `update connections set last_run_id = $run, version = version + 1,
      next_probe_at = case when status = 'Active' then $nextProbeAt::timestamptz end
    where tenant_id = $tenant and connection_id = $connection`,
);

/** $3: the next check's time for a connection about which nothing was found out. */
export const checkPostponed = {
  name: "connection_check_postponed",
  text: "update connections set next_probe_at = $3 where tenant_id = $1 and connection_id = $2 and status = 'Active'",
};

/** When the vendor last gave no access token. Null after a success. */
export const refreshFailure = {
  name: "connection_refresh_failure",
  text: "select failed_at from connection_tokens where tenant_id = $1 and connection_id = $2",
};

/** The provider's state for a connection that may become Active, locked until the transaction ends. */
export const providerOfStopped = {
  name: "connection_provider_of_stopped",
  text: `select status from providers where tenant_id = $1 and provider_id = (
      select provider_id from connections
      where tenant_id = $1 and connection_id = $2 and status in ('Disabled', 'AuthorizationRequired'))
    for share`,
};

/** Notes connections that a call has shown to work. Evidence that is newer than `$newEnough` stays. */
export const storeSuccesses = namedStatement(
  "connection_successes",
  `update connections set last_checked_at = $now, next_probe_at = $nextProbeAt, version = version + 1
    from unnest($tenants::uuid[], $connections::uuid[]) as called(tenant, connection)
    where tenant_id = called.tenant and connection_id = called.connection and status = 'Active' and health = 'Healthy'
      and last_checked_at < $newEnough`,
);
