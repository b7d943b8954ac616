import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ConnectionHealth, FailureDays } from "./connection.states.js";
import type { ConnectionRecord } from "./connection.view.js";
import { lockedConnection } from "./locked-connection.js";

/** The result of a check. Its run is the evidence. */
export interface HealthEvidence {
  readonly health: ConnectionHealth;
  readonly runId: string;
  /** Null leaves the reason, for an unchanged health. */
  readonly reason: string | null;
  /** The time of the check; null leaves the time of the last one. */
  readonly checkedAt: Date | null;
  readonly consecutiveFailures: number;
  readonly consecutiveSuccesses: number;
  readonly consecutiveRejections: number;
  readonly failingSince: Date | null;
  readonly failureDays: FailureDays;
  readonly nextProbeAt: Date | null;
}

const store = {
  name: "connection_health",
  text: `update connections set health = $3, health_run_id = $4, last_checked_at = coalesce($5, last_checked_at),
      consecutive_failures = $6, consecutive_successes = $7, consecutive_rejections = $8, failing_since = $9,
      failure_days = $10, next_probe_at = $11, version = version + 1,
      health_reason = coalesce($12, health_reason)
    where tenant_id = $1 and connection_id = $2`,
};

/** Stores what checks say about connections. */
export class ConnectionHealthRecord {
  /** Stores the evidence, and records ConnectionHealthChanged if the health differs. Throws CONNECTION_NOT_FOUND. */
  async setIn(transaction: Transaction, connectionId: string, evidence: HealthEvidence): Promise<ConnectionRecord> {
    const { defer, record, tenant } = transaction;
    const connection = await lockedConnection(transaction, connectionId);
    const { health, runId, reason, checkedAt } = evidence;
    const { consecutiveFailures, consecutiveSuccesses, consecutiveRejections, failingSince } = evidence;
    await defer(store, [
      ...[tenant.uuid, decodeId("con", connectionId), health, decodeId("run", runId), checkedAt?.toISOString() ?? null],
      ...[consecutiveFailures, consecutiveSuccesses, consecutiveRejections, failingSince?.toISOString() ?? null],
      ...[JSON.stringify(evidence.failureDays), evidence.nextProbeAt?.toISOString() ?? null, reason],
    ]);
    const { providerId, status, projectId, health: previousHealth } = connection;
    if (health !== previousHealth)
      record({
        type: "ConnectionHealthChanged",
        subject: `connections/${connectionId}`,
        projectId,
        data: { connectionId, providerId, status, health, previousHealth, reason, runId, projectId },
      });
    const { reason: _reason, runId: _runId, checkedAt: _checkedAt, ...counts } = evidence;
    return {
      ...connection,
      ...counts,
      healthReason: reason ?? connection.healthReason,
      healthRunId: runId,
      lastCheckedAt: checkedAt ?? connection.lastCheckedAt,
      version: connection.version + 1,
    };
  }
}
