import { DomainError } from "@factory/runtime/errors/domain-error";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import type { ProviderState } from "../../providers/providers/provider.states.js";
import type { RunAttempt, RunEnd, RunHandler } from "../../runs/run-operations.js";
import type { RunRecord } from "../../runs/run-record.js";
import type { ConnectionService } from "../connections/connection.service.js";
import type { ConnectionRecord } from "../connections/connection.view.js";
import type { ConnectionHealthRecord } from "../connections/connection-health-record.js";
import type { ConnectionStates } from "../connections/connection-moves.js";
import { authModeMismatch } from "../connections/connection-references.js";
import { lockedConnection } from "../connections/locked-connection.js";
import type { VendorProbe } from "../vendor-calls/vendor-probe.js";
import { type CheckResult, evidenceOf, healthRecordOf } from "./check-finding.js";
import { checkPostponed, providerOfStopped, refreshFailure } from "./check-statement.js";
import { judge, type Verdict } from "./health-machine.js";
import type { ProbeTimes } from "./probe-times.js";

interface Services {
  readonly connections: ConnectionService;
  readonly providers: ProviderService;
  readonly states: ConnectionStates;
  readonly health: ConnectionHealthRecord;
  readonly probe: VendorProbe;
  readonly times: ProbeTimes;
  /** Called after the commit that ends a check. */
  readonly ended: () => void;
}

/**
 * The runs VerifyConnection and CheckHealth. A run asks the vendor once, since the next check comes soon. Its outcome
 * changes the connection's health in the transaction that ends it.
 */
export class ConnectionCheck implements RunHandler {
  readonly delaysSeconds = [];
  readonly timeLimitSeconds = 30;
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  async work(run: RunRecord, { signal, cause }: RunAttempt): Promise<CheckResult> {
    const { connections, providers, probe } = this.#services;
    const tenant = tenantWithId(run.tenantId);
    const connection = await connections.record(tenant, run.connectionId ?? "");
    if (!connection) throw new DomainError("CONNECTION_NOT_FOUND", { detail: "The connection was deleted." });
    failpoint("connectionCheck.probing");
    const { outcome, status, detail, durationMs } = await probe.probe({
      ...{ tenant, cause, connection, signal },
      runId: run.runId,
    });
    failpoint("connectionCheck.probed");
    if (outcome === "rejected") throw new DomainError("CREDENTIAL_REJECTED", { detail });
    if (outcome === "failed") throw new DomainError("UPSTREAM_FAILED", { detail });
    const provider = await providers.record(tenant, connection.providerId);
    const warning = provider && authModeMismatch(provider.authModel, connection.authMode);
    return {
      ...{ checked: outcome === "ok", detail, durationMs, statusBefore: connection.status },
      ...(status !== undefined && { status }),
      ...(warning !== undefined && { warning }),
    };
  }

  async ended(transaction: Transaction, run: RunRecord, end: RunEnd): Promise<void> {
    const { times, ended } = this.#services;
    transaction.afterCommit(ended);
    const { connectionId } = run;
    if (connectionId === null) return;
    // As in a change to the provider, its lock comes before the connection's.
    const mayBecomeActive = await holdsUsableProvider(transaction, connectionId);
    const connection = await lockedUnlessDeleted(transaction, connectionId);
    if (!connection) return;
    const now = times.clock();
    const refreshFailedAt = await this.#refreshFailedAt(transaction, connection);
    const evidence = evidenceOf(run, end, refreshFailedAt);
    // A newer run knows about an authorization that this one has not seen.
    const isOutdated = evidence.finding === "Unauthorized" && connection.lastRunId !== run.runId;
    if (isOutdated) return;
    const verdict = judge(healthRecordOf(connection), evidence, now, times.intervalMs);
    const move = verdict.move?.to === "Active" && !mayBecomeActive ? undefined : verdict.move;
    await this.#apply(transaction, run, { connection, verdict: { ...verdict, move }, now });
    failpoint("connectionCheck.judged");
  }

  async #apply(
    transaction: Transaction,
    { runId }: RunRecord,
    { connection, verdict, now }: { connection: ConnectionRecord; verdict: Verdict; now: Date },
  ): Promise<void> {
    const { states, health, times } = this.#services;
    const { connectionId } = connection;
    const { record, healthReason, move } = verdict;
    const isProbed = (move?.to ?? connection.status) === "Active";
    const nextProbeAt = record.health === "Unknown" ? times.nextOfUnknown(now) : times.next(now);
    if (move) await states.moveIn(transaction, connectionId, move.to, { reason: move.reason, runId });
    if (record.lastCheckedAt?.getTime() !== now.getTime() && healthReason === undefined) {
      // The check found nothing out, so its run is not evidence for the health.
      const values = [transaction.tenant.uuid, decodeId("con", connectionId), nextProbeAt.toISOString()];
      await transaction.defer(checkPostponed, values);
      return;
    }
    const { strikes, lastOutageOn, refreshFailedDays, refreshFailedOn, consecutiveFailures } = record;
    await health.setIn(transaction, connectionId, {
      ...{ health: record.health, runId, reason: healthReason ?? null },
      checkedAt: record.lastCheckedAt?.getTime() === now.getTime() ? now : null,
      consecutiveFailures,
      consecutiveSuccesses: record.consecutiveSuccesses,
      consecutiveRejections: record.consecutiveRejections,
      failingSince: record.failingSince,
      failureDays: { strikes, lastOutageOn, refreshFailedDays, refreshFailedOn },
      nextProbeAt: isProbed ? nextProbeAt : null,
    });
  }

  async #refreshFailedAt({ execute, tenant }: Transaction, { connectionId }: ConnectionRecord): Promise<Date | null> {
    const values = [tenant.uuid, decodeId("con", connectionId)];
    const [tokens] = await execute<{ failed_at: string | null }>(refreshFailure, values);
    return tokens?.failed_at == null ? null : new Date(tokens.failed_at);
  }
}

/** A connection that was stopped becomes Active only if its provider is in use. */
async function holdsUsableProvider({ execute, tenant }: Transaction, connectionId: string): Promise<boolean> {
  const values = [tenant.uuid, decodeId("con", connectionId)];
  const [provider] = await execute<{ status: ProviderState }>(providerOfStopped, values);
  return provider?.status === "Registered" || provider?.status === "Deprecated";
}

async function lockedUnlessDeleted(
  transaction: Transaction,
  connectionId: string,
): Promise<ConnectionRecord | undefined> {
  try {
    return await lockedConnection(transaction, connectionId);
  } catch (error) {
    if (error instanceof DomainError && error.code === "CONNECTION_NOT_FOUND") return undefined;
    throw error;
  }
}
