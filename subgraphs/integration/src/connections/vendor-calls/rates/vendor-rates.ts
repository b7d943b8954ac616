import { namedStatement } from "@factory/runtime/db/named-parameters";
import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { rateLimited } from "../exchange/call-failure.js";
import type { VendorTarget } from "../exchange/vendor-call.js";

interface RateLimit {
  readonly requests: number;
  readonly perSeconds: number;
}

const maxPauseMs = 60 * 60_000;

const pausedUntil = tenantStatement(
  "vendor_rate_pause",
  `select extract(epoch from paused_until - now())::float8 * 1000 as wait_ms from vendor_rates
   where tenant_id = scope.tenant and connection_id = $2 and paused_until > now()`,
);

/**
 * The generic cell rate algorithm, in seconds: `$interval` lies between two calls, a burst may be early by `$early`, and
 * the caller waits at most `$patience`. No row is returned when the wait would be longer.
 */
const admit = namedStatement(
  "vendor_rate_admit",
  `insert into vendor_rates as rate (tenant_id, connection_id, next_at)
    values ($tenant, $connection, now() + make_interval(secs => $interval))
    on conflict (tenant_id, connection_id) do update
      set next_at = greatest(rate.next_at, now()) + make_interval(secs => $interval)
      where greatest(rate.next_at - make_interval(secs => $early), rate.paused_until)
        <= now() + make_interval(secs => $patience)
    returning extract(epoch from greatest(rate.next_at - make_interval(secs => $interval + $early), rate.paused_until)
      - now())::float8 * 1000 as wait_ms`,
);

const shortestWait = {
  name: "vendor_rate_wait",
  text: `select extract(epoch from
      greatest(next_at - make_interval(secs => $3), paused_until) - now())::float8 * 1000 as wait_ms
    from vendor_rates where tenant_id = $1 and connection_id = $2`,
};

const storePause = {
  name: "vendor_rate_store_pause",
  text: `insert into vendor_rates as rate (tenant_id, connection_id, next_at, paused_until)
    values ($1, $2, now(), now() + make_interval(secs => $3))
    on conflict (tenant_id, connection_id) do update
      set paused_until = greatest(rate.paused_until, excluded.paused_until)`,
};

/**
 * A quarter may come at once, and the others come evenly, so that no period as long as `perSeconds` has more calls than
 * `requests`.
 */
function shape({ requests, perSeconds }: RateLimit): { interval: number; early: number } {
  const burst = Math.ceil(requests / 4);
  const interval = perSeconds / (requests - burst + 1);
  return { interval, early: (burst - 1) * interval };
}

/** Keeps the vendor's rate limit for each connection, and the pauses that the vendor asks for with 429. */
export class VendorRates {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves with the milliseconds to wait before the call. Throws RATE_LIMITED when that is longer than `maxWaitMs`. */
  async admit(target: VendorTarget, limit: RateLimit | undefined, maxWaitMs: number): Promise<number> {
    const { tenant, cause, connection, prepared } = target;
    if (!limit) {
      const pauseMs = await (prepared?.pauseMs ?? this.pauseMs(target));
      if (pauseMs > maxWaitMs) throw refusal(pauseMs);
      return pauseMs;
    }
    const uuid = decodeId("con", connection.connectionId);
    const { interval, early } = shape(limit);
    const wait = await this.#database.transaction(tenant, cause, async ({ execute }) => {
      const admission = { tenant: tenant.uuid, connection: uuid, interval, early, patience: maxWaitMs / 1000 };
      const [admittedRow] = await execute<{ wait_ms: number }>(admit, admit.valuesOf(admission));
      if (admittedRow) return { ms: admittedRow.wait_ms, isAdmitted: true };
      const [refusedRow] = await execute<{ wait_ms: number }>(shortestWait, [tenant.uuid, uuid, early]);
      return { ms: refusedRow?.wait_ms ?? 0, isAdmitted: false };
    });
    if (!wait.isAdmitted) throw refusal(wait.ms);
    return Math.max(0, wait.ms);
  }

  /** The milliseconds for which the connection's calls pause still. */
  async pauseMs({ tenant, connection }: VendorTarget): Promise<number> {
    const uuid = decodeId("con", connection.connectionId);
    const row = await this.#database.reader.row<{ wait_ms: number }>(pausedUntil, tenant, uuid);
    return row?.wait_ms ?? 0;
  }

  /** Pauses the connection's calls in all processes, for an hour at most. */
  async pause({ tenant, cause, connection }: VendorTarget, ms: number): Promise<void> {
    const values = [tenant.uuid, decodeId("con", connection.connectionId), Math.min(ms, maxPauseMs) / 1000];
    await this.#database.transaction(tenant, cause, ({ execute }) => execute(storePause, values));
  }
}

const refusal = (waitMs: number) => rateLimited("The rate limit of the vendor is reached for this connection.", waitMs);
