import { columnsOf, type RowOf } from "@factory/runtime/db/entity-rows";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { EventLogEntry } from "./event-log-entry.entity.js";

/** An event in the log, as subscriptions deliver it. */
export interface LoggedEvent {
  /** The sequence in the tenant's log. */
  readonly sequence: number;
  /** The tenant's uuid. */
  readonly tenantUuid: string;
  readonly envelope: Envelope;
  /** The envelope's size as JSON text. */
  readonly bytes: number;
}

/** The `event_log` columns that `loggedEvent` needs. */
export type LoggedEventRow = RowOf<EventLogEntry, "sequence" | "tenantId"> & { envelope: Envelope; bytes: number };
const columns = columnsOf(EventLogEntry, ["sequence", "tenantId", "envelope"]);
export const loggedEventColumns = `${columns}, octet_length(envelope::text) as bytes`;

/** The event in a row with `loggedEventColumns`. */
export function loggedEvent(row: LoggedEventRow): LoggedEvent {
  return {
    sequence: Number(row.sequence),
    tenantUuid: row.tenant_id,
    envelope: row.envelope,
    bytes: row.bytes,
  };
}
