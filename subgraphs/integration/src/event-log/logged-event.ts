import type { Envelope } from "@factory/runtime/messages/envelope";

export interface LoggedEvent {
  /** Of its tenant. */
  readonly sequence: number;
  /** uuid of the tenant. */
  readonly tenantUuid: string;
  readonly envelope: Envelope;
  /** Size of the envelope as JSON text. */
  readonly bytes: number;
}

/** Columns of `event_log` as the two readers select them. */
export interface LoggedEventRow {
  sequence: string;
  tenant_id: string;
  envelope: Envelope;
  bytes: number;
}

export const loggedEventColumns = "sequence, tenant_id, envelope, octet_length(envelope::text) as bytes";

export function loggedEvent(row: LoggedEventRow): LoggedEvent {
  return {
    sequence: Number(row.sequence),
    tenantUuid: row.tenant_id,
    envelope: row.envelope,
    bytes: row.bytes,
  };
}
