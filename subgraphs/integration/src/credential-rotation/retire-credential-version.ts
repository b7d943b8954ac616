import { setTimeout as pause } from "node:timers/promises";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import type { CredentialVersions } from "../credentials/credentials/credential-versions.js";
import type { RunService } from "../runs/run.service.js";
import type { RunHandler } from "../runs/run-operations.js";
import type { RunRecord } from "../runs/run-record.js";
import { openRetirements } from "./open-retirement-statement.js";
import { namedVersion, subjectOf } from "./run-subject.js";

/** The clocks in the database, which starts the run, and in this process may differ by this much. */
const clockDifferenceMs = 2000;

/** The shortest pause before another run, also where this process's clock is far behind. */
const pauseMs = 5000;

/**
 * Retires a Previous version when its grace period is over, and destroys its secret. A version whose grace period lasts
 * longer, also because the run was cancelled, gets another run.
 */
export class RetireCredentialVersion implements RunHandler {
  readonly delaysSeconds = [5, 30, 120, 600];
  readonly timeLimitSeconds = 30;
  readonly #versions: CredentialVersions;
  readonly #runs: RunService;
  readonly #clock: () => Date;

  constructor(versions: CredentialVersions, runs: RunService, clock: () => Date) {
    this.#versions = versions;
    this.#runs = runs;
    this.#clock = clock;
  }

  async work(run: RunRecord): Promise<Record<string, unknown>> {
    const { version, graceEndsAt } = { ...subjectOf(run), graceEndsAt: run.payload["graceEndsAt"] };
    const leftMs = typeof graceEndsAt === "string" ? Date.parse(graceEndsAt) - this.#clock().getTime() : 0;
    if (leftMs > 0 && leftMs <= clockDifferenceMs) await pause(leftMs + 1);
    return { version };
  }

  async ended(transaction: Transaction, run: RunRecord): Promise<void> {
    const subject = namedVersion(run);
    if (!subject) return;
    const { credentialId, version } = subject;
    const credential = await this.#versions.lock(transaction, credentialId);
    const previous = await this.#versions.find(transaction, credential, version);
    if (previous?.stage !== "Previous") return;
    const { graceEndsAt } = previous;
    if (graceEndsAt !== null && graceEndsAt > this.#clock()) {
      const again = retirement(credentialId, version, graceEndsAt);
      const soonest = new Date(Date.now() + pauseMs);
      const startAfter = graceEndsAt > soonest ? graceEndsAt : soonest;
      await this.#runs.startIn(transaction, { ...again, startAfter });
      return;
    }
    await this.#versions.retire(transaction, credential, previous);
    await transaction.em.flush();
    failpoint("credentialRotation.retiring");
  }
}

/**
 * Cancels the waiting RetireCredentialVersion runs whose version has left the state Previous. Call it under the
 * credential's lock, after the change.
 */
export async function endRetirements(transaction: Transaction, runs: RunService, credentialId: string): Promise<void> {
  const { em, execute, tenant } = transaction;
  await em.flush();
  const open = await execute<{ run_id: string }>(openRetirements, [tenant.uuid, decodeId("crd", credentialId)]);
  for (const { run_id } of open)
    await runs.cancelIn(transaction, encodeId("run", run_id), "The version is no longer in its grace period.");
}

/** The run that retires a version when its grace period ends. */
export function retirement(credentialId: string, version: number, graceEndsAt: Date) {
  return {
    operation: "RetireCredentialVersion",
    credentialId,
    payload: { version, graceEndsAt: graceEndsAt.toISOString() },
    startAfter: graceEndsAt,
  } as const;
}
