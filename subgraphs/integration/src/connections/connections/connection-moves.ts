import { namedStatement } from "@factory/runtime/db/named-parameters";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { EventType } from "@factory/schema/event-names";
import { announceInboundSources } from "../../providers/providers/inbound-sources.js";
import { type ConnectionState, connectionStates } from "./connection.states.js";
import type { ConnectionRecord } from "./connection.view.js";
import { lockedConnection } from "./locked-connection.js";

/** Why a connection moves, and the run that is the evidence, if there is one. */
interface MoveCause {
  readonly reason: string | null;
  readonly runId?: string | undefined;
}

const change = namedStatement(
  "connection_move",
  `update connections set status = $status, status_reason = $reason, version = version + 1,
      deleted_at = case when $status = 'Deleted' then now() end,
      next_probe_at = case when $status = 'Active' then next_probe_at end
    where tenant_id = $tenant and connection_id = $connection`,
);

/** Moves connections between their states. */
export class ConnectionStates {
  /**
   * Moves the connection and records the move's event. Does nothing when it is in the state already. Throws
   * CONNECTION_NOT_FOUND, or INVALID_STATE for a move that is not allowed.
   */
  async moveIn(
    transaction: Transaction,
    connectionId: string,
    to: ConnectionState,
    { reason, runId }: MoveCause,
  ): Promise<ConnectionRecord> {
    const connection = await lockedConnection(transaction, connectionId);
    const { status: from, projectId } = connection;
    if (from === to) return connection;
    const event = eventOf(from, to);
    if (!isAllowed(from, to) || event === undefined) throw refusedMove(from, to);
    const { defer, record, tenant } = transaction;
    announceInboundSources(transaction);
    const connectionUuid = decodeId("con", connectionId);
    await defer(change, change.valuesOf({ tenant: tenant.uuid, connection: connectionUuid, status: to, reason }));
    record({
      type: event,
      subject: `connections/${connectionId}`,
      projectId,
      data: {
        ...{ connectionId, providerId: connection.providerId, status: to, previousStatus: from, reason },
        ...{ runId: runId ?? null, projectId },
      },
    });
    return { ...connection, status: to, statusReason: reason, version: connection.version + 1 };
  }
}

const isAllowed = (from: ConnectionState, to: ConnectionState) =>
  connectionStates[from].next.some((next: ConnectionState) => next === to);

/** The event for a move: what has happened depends on both states only when a connection becomes Active. */
function eventOf(from: ConnectionState, to: ConnectionState): EventType | undefined {
  if (to === "Active") return from === "AuthorizationRequired" ? "ConnectionReauthorized" : "ConnectionResumed";
  const events: Partial<Record<ConnectionState, EventType>> = {
    Suspended: "ConnectionSuspended",
    AuthorizationRequired: "ConnectionAuthorizationLost",
    Disabled: "ConnectionDisabled",
    Deleted: "ConnectionDeleted",
  };
  return events[to];
}

/** The refusal when a move is not allowed. */
export function refusedMove(from: ConnectionState, to: ConnectionState): DomainError {
  const before = Object.entries(connectionStates).filter(([, { next }]) => next.some((state) => state === to));
  const allowedStates = before.map(([state]) => state);
  return new DomainError("INVALID_STATE", {
    detail: `The connection is ${from}. It can become ${to} only from ${allowedStates.join(" or ")}.`,
    currentState: from,
    allowed: allowedStates,
  });
}
