import type { Pool } from "pg";
import { type LoggedEvent, type LoggedEventRow, loggedEvent } from "./logged-event.js";

/** Any tenant's event, with its position in the log for all tenants. */
interface PositionedEvent {
  readonly position: number;
  readonly tenantUuid: string;
  /** Undefined for an event whose tenant was not asked for. */
  readonly event: LoggedEvent | undefined;
}

/** The newest event's position among all tenants; 0 while the log is empty. The pool connects as the worker role. */
export async function newestPosition(workers: Pool): Promise<number> {
  const { rows } = await workers.query<{ position: string | null }>("select max(position) as position from event_log");
  return Number(rows[0]?.position ?? 0);
}

type PositionedRow = { position: string; tenant_id: string } & (LoggedEventRow | { envelope: null });

/** Envelopes are large, so they are read for the tenants in `$3` only; for all tenants when it is null. */
const eventsAfter = {
  name: "event_log_after",
  text: `select position, sequence, tenant_id, case when wanted then envelope end as envelope,
      case when wanted then octet_length(envelope::text) end as bytes
    from event_log, lateral (select $3::uuid[] is null or tenant_id = any($3)) as asked(wanted)
    where position > $1 order by position limit $2`,
};

/**
 * Up to `limit` events for all tenants after a position, oldest first; with their content for these tenants (UUIDs), or
 * for all. The pool connects as the worker role.
 */
export async function readEventsAfter(
  workers: Pool,
  position: number,
  limit: number,
  tenants: readonly string[] | undefined,
): Promise<PositionedEvent[]> {
  const values = [position, limit, tenants ?? null];
  const { rows } = await workers.query<PositionedRow>({ ...eventsAfter, values });
  return rows.map((row) => ({
    position: Number(row.position),
    tenantUuid: row.tenant_id,
    event: row.envelope === null ? undefined : loggedEvent(row),
  }));
}
