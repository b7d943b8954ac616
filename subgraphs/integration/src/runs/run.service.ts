import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { RunError } from "@factory/runtime/runs/run-error";
import { StepFeed } from "@factory/runtime/step-feeds/step-feed";
import type { StepWatch } from "@factory/runtime/step-feeds/step-watch";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { traceparent } from "@factory/runtime/telemetry/trace";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { Scope } from "@factory/schema/scopes";
import type { RunOperation } from "@factory/schema/vocabularies/runs";
import { readRun } from "./read-run.js";
import { isFinal, type RunState, runStates } from "./run.states.js";
import type { RunCounts } from "./run-counts.js";
import { type RunFeedStep, stepsOfRun } from "./run-feed.js";
import { runJob } from "./run-job.js";
import { endRun, failRun, releaseRun, settleRun } from "./run-moves.js";
import type { RunEnd, RunOperations } from "./run-operations.js";
import { type RunRecord, type RunRow, runRecord, runTable } from "./run-record.js";

interface RunServices {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly operations: RunOperations;
  readonly watch: StepWatch;
  readonly counts: RunCounts;
  readonly logger: Logger;
}

/** A run to be started. */
export interface NewRun {
  readonly operation: RunOperation;
  readonly connectionId?: string | null;
  readonly credentialId?: string | null;
  readonly deliveryId?: string | null;
  readonly projectId?: string | null;
  /** Ids for the handler, never secrets. */
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly startAfter?: Date;
  /** Nothing works on the run before `releaseIn`. `startAfter` is the end of its wait. */
  readonly isHeldBack?: true;
  /** The thing that the run waits for, and where it is given. */
  readonly progress?: Readonly<Record<string, unknown>>;
}

const insertRun = {
  name: "run_insert",
  text: `insert into runs (tenant_id, run_id, connection_id, credential_id, delivery_id, project_id, operation, status,
      attempts, max_attempts, payload, correlation_id, traceparent, requested_by, next_attempt_at, progress)
    values ($1, $2, $3, $4, $5, $6, $7, 'Queued', 0, $8, $9, $10, $11, $12, $13, $14) returning *`,
};

const lockRun = {
  name: "run_lock",
  text: "select * from runs where tenant_id = $1 and run_id = $2 for update",
};

/** The attempts to handle a delivery. */
const deliveryAttempts = 5;

/** The interval between reads while a request waits, since a notification can be lost with its connection. */
const pollIntervalMs = 5000;
/** An operation must answer within 30 s. */
const maxWaitSeconds = 25;
const waitingPerTenant = 32;
const waitingInAll = 512;

/** Starts, reads, cancels and awaits runs. */
export class RunService {
  readonly #services: RunServices;
  readonly #waiting = new ConcurrencyLimiter(
    { maxPerTenant: waitingPerTenant, maxTotal: waitingInAll },
    "requests that wait for a run",
  );

  #stopped = false;

  constructor(services: RunServices) {
    this.#services = services;
  }

  /** Answers all requests that wait, so that they do not hold up the process's stop. */
  stop(): void {
    this.#stopped = true;
    this.#services.watch.wakeAll();
  }

  /** Inserts a Queued run and its job in the caller's transaction, whose cause becomes the run's cause. */
  async startIn(transaction: Transaction, run: NewRun): Promise<RunRecord> {
    const { jobs, operations } = this.#services;
    const { execute, tenant, cause } = transaction;
    const { operation, startAfter, payload = {}, progress } = run;
    const runId = newId("run");
    const uuidOf = (prefix: "con" | "crd" | "whd", id: string | null | undefined) =>
      id == null ? null : (decodeId(prefix, id) ?? null);
    const [row] = await execute<RunRow>(insertRun, [
      tenant.uuid,
      runTable.uuid(runId),
      uuidOf("con", run.connectionId),
      uuidOf("crd", run.credentialId),
      uuidOf("whd", run.deliveryId),
      run.projectId ?? null,
      operation,
      operation === "ProcessDelivery" ? deliveryAttempts : operations.get(operation).delaysSeconds.length + 1,
      JSON.stringify(payload),
      cause.correlationId ?? cause.trace.traceId,
      traceparent(cause.trace),
      cause.actorId ?? null,
      startAfter ?? null,
      progress ? JSON.stringify(progress) : null,
    ]);
    if (!row) throw new Error("A run was not stored");
    // A delivery's run ends with the delivery, which a dispatcher claims without a job.
    if (operation === "ProcessDelivery" || run.isHeldBack) return runRecord(row);
    const options = startAfter ? { startAfter } : {};
    await jobs.send(transaction, runJob, { tenantId: tenant.tenantId, runId, attempt: 1 }, options);
    return runRecord(row);
  }

  /** Lets a run that was held back begin, in the caller's transaction. */
  async releaseIn(transaction: Transaction, runId: string): Promise<void> {
    const attempt = await releaseRun(transaction, runId);
    if (attempt === undefined) throw unknownRun();
    const { tenantId } = transaction.tenant;
    await this.#services.jobs.send(transaction, runJob, { tenantId, runId, attempt });
  }

  /** Fails a run in any state that is not final, in the caller's transaction. Undefined when it has ended. */
  async failIn(transaction: Transaction, runId: string, error: RunError): Promise<RunRecord | undefined> {
    const { operations, counts } = this.#services;
    const end: RunEnd = { status: "Failed", ...error };
    const failedRun = await failRun(transaction, runId, end);
    if (!failedRun) return undefined;
    await operations.find(failedRun.operation)?.ended?.(transaction, failedRun, end);
    transaction.afterCommit(() => counts.add(failedRun.operation, "Failed"));
    return failedRun;
  }

  find(tenant: Tenant, runId: string): Promise<RunRecord | undefined> {
    return readRun(this.#services.database.reader, tenant, runId);
  }

  async get(context: RequestContext, runId: string, waitSeconds?: number | null): Promise<RunRecord> {
    const run = await this.waitAsAsked(context, runId, waitSeconds);
    if (!run) throw unknownRun();
    return run;
  }

  /**
   * Ends a run as Cancelled. An attempt that runs is aborted, in whichever process, and its outcome is not applied. Throws
   * INSUFFICIENT_SCOPE for an operation that needs a further scope.
   */
  cancel(context: RequestContext, runId: string): Promise<RunRecord> {
    const { subject, scopes } = principalOf(context);
    return idempotentMutation(this.#services.database, context, {
      field: "cancelRun",
      arguments: { runId },
      commit: async (transaction) => {
        const record = await lockedRun(transaction, runId);
        const neededScope = this.#services.operations.find(record.operation)?.cancelScope?.(record.operation);
        if (neededScope && !scopes.has(neededScope)) throw notAllowed(record, neededScope);
        if (record.status === "Cancelled") return record;
        const cancelledRun = await this.cancelIn(transaction, runId, `Cancelled by ${subject}.`);
        if (!cancelledRun) throw notCancellable(record);
        return cancelledRun;
      },
    });
  }

  /** Cancels a run in the caller's transaction. Undefined when it has ended, or cannot be cancelled. */
  async cancelIn(transaction: Transaction, runId: string, detail: string): Promise<RunRecord | undefined> {
    const record = await lockedRun(transaction, runId);
    const handler = this.#services.operations.find(record.operation);
    // A run without a handler ends together with the row that it belongs to.
    if (!handler || isFinal(record.status)) return undefined;
    const end: RunEnd = { status: "Cancelled", code: "RUN_CANCELLED", detail };
    const cancelledRun = await endRun(transaction, runId, end);
    if (!cancelledRun) return undefined;
    await handler.ended?.(transaction, cancelledRun, end);
    transaction.afterCommit(() => this.#services.counts.add(record.operation, "Cancelled"));
    return cancelledRun;
  }

  /** Locks a run until the transaction ends. Throws RUN_NOT_FOUND. */
  lockIn(transaction: Transaction, runId: string): Promise<RunRecord> {
    return lockedRun(transaction, runId);
  }

  /**
   * Ends a locked run that waits for its next attempt, in the caller's transaction. Undefined, without any change: an attempt
   * is running or is about to begin, or the run has ended.
   */
  async settleIn(transaction: Transaction, lockedRecord: RunRecord, end: RunEnd): Promise<RunRecord | undefined> {
    const { runId, operation } = lockedRecord;
    const endedRun = await settleRun(transaction, this.#services.operations.get(operation), runId, end);
    if (endedRun) transaction.afterCommit(() => this.#services.counts.add(operation, end.status));
    return endedRun;
  }

  /**
   * Waits for a run in the caller's tenant as its argument `waitSeconds` asks, at most 25 s. Does not wait, and does
   * not count as having waited, where too many of the tenant's requests wait already. Call it after the run's commit.
   */
  async waitAsAsked(
    context: RequestContext,
    runId: string,
    waitSeconds: number | null | undefined,
  ): Promise<RunRecord | undefined> {
    const tenant = tenantOf(context);
    const seconds = Math.min(Math.max(waitSeconds ?? 0, 0), maxWaitSeconds);
    const leave = seconds > 0 ? this.#waiting.acquire(tenant.tenantId) : undefined;
    if (!leave) return this.find(tenant, runId);
    try {
      const run = await this.waitFor(tenant, runId, seconds * 1000);
      context.waitedSeconds = seconds;
      return run;
    } finally {
      leave();
    }
  }

  /** Waits until the run has ended, at most `ms`, and returns it as it is then. Holds no database connection meanwhile. */
  async waitFor(tenant: Tenant, runId: string, ms: number): Promise<RunRecord | undefined> {
    if (decodeId("run", runId) === undefined) return undefined;
    const giveUpAt = performance.now() + ms;
    let wake = (): void => undefined;
    let woken = false;
    const unsubscribe = this.#services.watch.subscribe(runTable.uuid(runId), () => {
      woken = true;
      wake();
    });
    try {
      for (;;) {
        woken = false;
        const run = await this.find(tenant, runId);
        const leftMs = giveUpAt - performance.now();
        if (!run || isFinal(run.status) || leftMs <= 0 || tenant.caller?.aborted || this.#stopped) return run;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(leftMs, pollIntervalMs)).unref();
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
          if (woken) wake();
        });
      }
    } finally {
      unsubscribe();
    }
  }

  /** The run's every state after the given step, then live ones until it has ended. */
  async follow(
    context: RequestContext,
    runId: string,
    after: number | null | undefined,
  ): Promise<StepFeed<RunFeedStep>> {
    const tenant = tenantOf(context);
    if (!(await this.find(tenant, runId))) throw unknownRun();
    const { database, watch, logger } = this.#services;
    const { expiresAt } = principalOf(context);
    const source = stepsOfRun({ reader: database.reader, watch, logger }, tenant, runId);
    return new StepFeed(source, { after: after ?? 0, expiresAt });
  }
}

async function lockedRun({ execute, tenant }: Transaction, runId: string): Promise<RunRecord> {
  const uuid = decodeId("run", runId);
  const [row] = uuid === undefined ? [] : await execute<RunRow>(lockRun, [tenant.uuid, uuid]);
  if (!row) throw unknownRun();
  return runRecord(row);
}

const unknownRun = () =>
  new DomainError("RUN_NOT_FOUND", {
    detail: "No run with this id exists in this tenant. List the runs to find the id.",
  });

const notAllowed = ({ operation }: RunRecord, scope: Scope) =>
  new DomainError("INSUFFICIENT_SCOPE", {
    detail: `A run of the operation ${operation} is cancelled with a token that has the scope ${scope} as well.`,
    requiredScopes: [scope],
  });

function notCancellable({ status, operation }: RunRecord): DomainError {
  const states = Object.keys(runStates).filter((state) => !isFinal(state as RunState));
  return new DomainError("INVALID_STATE", {
    detail: isFinal(status)
      ? `The run is already ${status}, so it cannot be cancelled.`
      : `A run of the operation ${operation} cannot be cancelled.`,
    currentState: status,
    allowed: states,
  });
}
