import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { Connection } from "./connection.entity.js";
import type { ConnectionType } from "./connection.type.js";

/** A connection as the slices below use it. */
export type ConnectionRecord = Omit<RecordOf<Connection>, "deletedAt">;

export type ConnectionRow = RowOf<Connection>;
export const connectionColumns = columnsOf(Connection);
export const readConnection = rowReader(Connection);

export function connectionView(connection: ConnectionRecord): ConnectionType {
  return {
    connectionId: connection.connectionId,
    tenantId: connection.tenantId,
    projectId: connection.projectId,
    providerId: connection.providerId,
    displayName: connection.displayName,
    authMode: connection.authMode,
    credentialRef: connection.credentialRef,
    configuration: connection.configuration,
    status: connection.status,
    statusReason: connection.statusReason,
    health: connection.health,
    healthReason: connection.healthReason,
    healthRunId: connection.healthRunId,
    lastCheckedAt: connection.lastCheckedAt?.toISOString() ?? null,
    lastRunId: connection.lastRunId,
    establishedAt: connection.establishedAt.toISOString(),
    traceId: connection.traceId,
    version: connection.version,
    authorizationUrl: null,
  };
}
