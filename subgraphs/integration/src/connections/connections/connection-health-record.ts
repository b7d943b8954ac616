import { namedStatement } from "@factory/runtime/db/named-parameters";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ConnectionHealth } from "@factory/schema/vocabularies/connections";
import type { FailureDays } from "./connection.states.js";
import type { ConnectionRecord } from "./connection.view.js";
import { lockedConnection } from "./locked-connection.js";

/** The result that a check has. Its run is the evidence. */
interface HealthEvidence {
  readonly health: ConnectionHealth;
  readonly runId: string;
  /** Null leaves the reason, for an unchanged health. */
  readonly reason: string | null;
  /** When the check was made; null leaves the last one's time. */
  readonly checkedAt: Date | null;
  readonly consecutiveFailures: number;
  readonly consecutiveSuccesses: number;
  readonly consecutiveRejections: number;
  readonly failingSince: Date | null;
  readonly failureDays: FailureDays;
  readonly nextProbeAt: Date | null;
}

const store = namedStatement(
  "connection_health",
  `update connections set health = $health, health_run_id = $run, last_checked_at = coalesce($checkedAt, last_checked_at),
      consecutive_failures = $consecutiveFailures, consecutive_successes = $consecutiveSuccesses,
      consecutive_rejections = $consecutiveRejections, failing_since = $failingSince, failure_days = $failureDays,
      next_probe_at = $nextProbeAt, version = version + 1, health_reason = coalesce($reason, health_reason)
    where tenant_id = $tenant and connection_id = $connection`,
);

/** Stores what checks say about connections. */
export class ConnectionHealthRecord {
  /** Stores the evidence, and records ConnectionHealthChanged if the health differs. Throws CONNECTION_NOT_FOUND. */
  async setIn(transaction: Transaction, connectionId: string, evidence: HealthEvidence): Promise<ConnectionRecord> {
    const { defer, record, tenant } = transaction;
    const connection = await lockedConnection(transaction, connectionId);
    const { health, runId, reason, checkedAt } = evidence;
    const { consecutiveFailures, consecutiveSuccesses, consecutiveRejections } = evidence;
    const values = store.valuesOf({
      ...{ tenant: tenant.uuid, health, reason, consecutiveFailures, consecutiveSuccesses, consecutiveRejections },
      connection: decodeId("con", connectionId),
      run: decodeId("run", runId),
      checkedAt: checkedAt?.toISOString() ?? null,
      failingSince: evidence.failingSince?.toISOString() ?? null,
      failureDays: JSON.stringify(evidence.failureDays),
      nextProbeAt: evidence.nextProbeAt?.toISOString() ?? null,
    });
    await defer(store, values);
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
