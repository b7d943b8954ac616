import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Connection } from "./connection.entity.js";
import type { AuthMode, ConnectionHealth, ConnectionState, FailureDays } from "./connection.states.js";
import type { ConnectionType } from "./connection.type.js";

/** A connection as the slices below use it. */
export type ConnectionRecord = Readonly<Omit<Connection, "deletedAt">>;

/** A row of `connections` as PostgreSQL returns it. In a transaction times are texts. */
export interface ConnectionRow {
  tenant_id: string;
  connection_id: string;
  project_id: string | null;
  provider_id: string;
  display_name: string;
  auth_mode: AuthMode;
  credential_ref: string | null;
  credential_id: string | null;
  configuration: Record<string, string>;
  webhook_secret_ref: string | null;
  webhook_credential_id: string | null;
  external_account_id: string | null;
  status: ConnectionState;
  status_reason: string | null;
  health: ConnectionHealth;
  health_reason: string | null;
  health_run_id: string | null;
  last_checked_at: Date | string | null;
  last_run_id: string | null;
  consecutive_failures: number;
  consecutive_successes: number;
  consecutive_rejections: number;
  failing_since: Date | string | null;
  failure_days: FailureDays;
  next_probe_at: Date | string | null;
  established_at: Date | string;
  trace_id: string;
  version: number;
}

export const connectionColumns = `tenant_id, connection_id, project_id, provider_id, display_name, auth_mode,
     credential_ref, credential_id, configuration, webhook_secret_ref, webhook_credential_id, external_account_id,
     status, status_reason, health, health_reason, health_run_id, last_checked_at, last_run_id, consecutive_failures,
     consecutive_successes, consecutive_rejections, failing_since, failure_days, next_probe_at, established_at, trace_id, version`;

export function connectionRecord(row: ConnectionRow): ConnectionRecord {
  const credential = (uuid: string | null) => (uuid === null ? null : encodeId("crd", uuid));
  const run = (uuid: string | null) => (uuid === null ? null : encodeId("run", uuid));
  return {
    tenantId: encodeId("ten", row.tenant_id),
    connectionId: encodeId("con", row.connection_id),
    projectId: row.project_id,
    providerId: encodeId("prv", row.provider_id),
    displayName: row.display_name,
    authMode: row.auth_mode,
    credentialRef: row.credential_ref,
    credentialId: credential(row.credential_id),
    configuration: row.configuration,
    webhookSecretRef: row.webhook_secret_ref,
    webhookCredentialId: credential(row.webhook_credential_id),
    externalAccountId: row.external_account_id,
    status: row.status,
    statusReason: row.status_reason,
    health: row.health,
    healthReason: row.health_reason,
    healthRunId: run(row.health_run_id),
    lastCheckedAt: timeOf(row.last_checked_at),
    lastRunId: run(row.last_run_id),
    consecutiveFailures: row.consecutive_failures,
    consecutiveSuccesses: row.consecutive_successes,
    consecutiveRejections: row.consecutive_rejections,
    failingSince: timeOf(row.failing_since),
    failureDays: row.failure_days,
    nextProbeAt: timeOf(row.next_probe_at),
    establishedAt: new Date(row.established_at),
    traceId: row.trace_id,
    version: row.version,
  };
}

const timeOf = (time: Date | string | null) => (time === null ? null : new Date(time));

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
