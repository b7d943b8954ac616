import type { Pool } from "pg";
import { type LoggedEvent, type LoggedEventRow, loggedEvent, loggedEventColumns } from "./logged-event.js";

/** An event of any tenant, with its position in the log of all tenants. */
export interface PositionedEvent {
  readonly position: number;
  readonly event: LoggedEvent;
}

/** The position of the newest event of all tenants; 0 while the log is empty. The pool connects as the worker role. */
export async function newestPosition(workers: Pool): Promise<number> {
  const { rows } = await workers.query<{ position: string | null }>("select max(position) as position from event_log");
  return Number(rows[0]?.position ?? 0);
}

/** Up to `limit` events of all tenants after a position, oldest first. The pool connects as the worker role. */
export async function readEventsAfter(workers: Pool, position: number, limit: number): Promise<PositionedEvent[]> {
  const { rows } = await workers.query<LoggedEventRow & { position: string }>(
    `select position, ${loggedEventColumns} from event_log where position > $1 order by position limit $2`,
    [position, limit],
  );
  return rows.map((row) => ({ position: Number(row.position), event: loggedEvent(row) }));
}
