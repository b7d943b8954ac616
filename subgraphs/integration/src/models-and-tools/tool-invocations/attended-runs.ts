import { DomainError } from "@factory/runtime/errors/domain-error";
import { isOutage } from "@factory/runtime/errors/unavailable";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { ConcurrencyLimiter } from "@factory/runtime/tenancy/concurrency-limiter";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { ConnectionRecord } from "../../connections/connections/connection.view.js";
import type { VendorTarget } from "../../connections/vendor-calls/exchange/vendor-call.js";
import type { LateEnds } from "../../runs/held/late-ends.js";
import type { HeldRuns } from "../../runs/held-runs.js";
import { type RunEnd, runErrorOf } from "../../runs/run-operations.js";
import { recordInvocationEnd } from "./invocation-events.js";

/** The call that waits for a run. */
export interface AttendingCall {
  /** Aborted when the caller has gone, and at its deadline. */
  readonly signal: AbortSignal;
  /** Is told the run as soon as there is one. */
  readonly onRun: (runId: string) => void;
}

/** The work in a run. */
interface AttendedWork<Answer> {
  readonly operation: "ListTools" | "InvokeTool";
  readonly connection: ConnectionRecord;
  /** The arguments for the idempotency key, which are stored as a digest only. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Facts for the run's events, never a tool's arguments. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly work: (target: VendorTarget, signal: AbortSignal) => Promise<Done<Answer>>;
}

interface Done<Answer> {
  readonly answer: Answer;
  /** The result that the run shows. */
  readonly result: Record<string, unknown>;
}

/** A call's hard limit, whatever progress the server reports. Vendor calls have the same. */
export const maxCallSeconds = 290;

/** Does a run's work while its caller waits: one audited transaction before it, and one after it. */
export class AttendedRuns {
  readonly #database: Database;
  readonly #held: HeldRuns;
  readonly #lateEnds: LateEnds;
  readonly #limiter = new ConcurrencyLimiter({ maxPerTenant: 32, maxTotal: 128 }, "calls of tool servers");

  constructor(database: Database, heldRuns: HeldRuns, lateEnds: LateEnds) {
    this.#database = database;
    this.#held = heldRuns;
    this.#lateEnds = lateEnds;
  }

  /**
   * When the work is done, its answer is given to the caller, whatever happens when its run ends. Throws what the work
   * throws, RATE_LIMITED when too many calls are under way, UPSTREAM_TIMEOUT at the hard limit, RUN_CANCELLED when
   * somebody has cancelled the run, RESULT_NOT_KEPT for an idempotency key that was used before, and the caller's abort
   * reason.
   */
  async run<Answer>(context: RequestContext, call: AttendingCall, attendedWork: AttendedWork<Answer>): Promise<Answer> {
    const leave = this.#limiter.acquire(tenantOf(context).tenantId);
    if (!leave) throw tooMany();
    try {
      return await this.#run(context, call, attendedWork);
    } finally {
      leave();
    }
  }

  async #run<Answer>(
    context: RequestContext,
    call: AttendingCall,
    attendedWork: AttendedWork<Answer>,
  ): Promise<Answer> {
    const { operation, connection, payload, given } = attendedWork;
    const { connectionId, projectId } = connection;
    const startContext = { ...context };
    const { runId } = await idempotentMutation(this.#database, startContext, {
      field: operation,
      arguments: { connectionId, ...given },
      commit: async (transaction) => {
        const run = { operation, connectionId, projectId, payload, timeLimitSeconds: maxCallSeconds };
        return { runId: (await this.#held.beginIn(transaction, run)).runId };
      },
    });
    call.onRun(runId);
    if (startContext.replayed) throw resultNotKept(runId);
    const { trace, correlationId, causationId } = context;
    const principal = principalOf(context);
    const cause = { trace, correlationId, causationId, actorId: principal.subject, principal };
    return this.#attend({ tenant: tenantOf(context), cause, connection, runId }, call.signal, attendedWork);
  }

  async #attend<Answer>(
    target: VendorTarget & { readonly runId: string },
    caller: AbortSignal,
    { work }: AttendedWork<Answer>,
  ): Promise<Answer> {
    const cancellation = new AbortController();
    const forget = this.#held.watch(target.runId, () => cancellation.abort(wasCancelled()));
    const deadline = AbortSignal.timeout(maxCallSeconds * 1000);
    const signal = AbortSignal.any([caller, cancellation.signal, deadline]);
    try {
      const { answer, result } = await work(target, signal);
      failpoint("tools.worked");
      await this.#end(target, { status: "Completed", result }, () => true);
      return answer;
    } catch (error) {
      if (cancellation.signal.aborted) throw wasCancelled();
      const isLate = deadline.aborted && !caller.aborted;
      await this.#end(
        target,
        caller.aborted ? callerGone : isLate ? timedOut : { status: "Failed", ...runErrorOf(error) },
      );
      throw isLate ? new DomainError("UPSTREAM_TIMEOUT", { detail: timedOut.detail }) : error;
    } finally {
      forget();
    }
  }

  /** The run ends later where its end cannot be stored for such an error, for example while the database is away. */
  async #end(
    { tenant, cause, runId }: VendorTarget & { readonly runId: string },
    end: RunEnd,
    passes: (error: unknown) => boolean = isOutage,
  ): Promise<void> {
    const store = () =>
      this.#database.transaction(tenant, cause, async (transaction) => {
        const endedRun = await this.#held.endIn(transaction, runId, end);
        if (endedRun) await recordInvocationEnd(transaction, endedRun, end);
      });
    await store().catch((error: unknown) => {
      if (!passes(error)) throw error;
      this.#lateEnds.add(runId, error, store);
    });
  }
}

const callerGone = {
  status: "Cancelled",
  code: "RUN_CANCELLED",
  detail: "The caller has gone, or its deadline was over.",
} as const;

const timedOut = {
  status: "TimedOut",
  code: "RUN_TOO_LONG",
  detail: `The tool server did not end the call within ${maxCallSeconds} s.`,
} as const;

const tooMany = () =>
  new DomainError("RATE_LIMITED", {
    detail: "Too many calls of tool servers are under way already. Try again in a moment.",
    retryAfterSeconds: 1,
  });

const wasCancelled = () => new DomainError("RUN_CANCELLED", { detail: "The run of this call was cancelled." });

const resultNotKept = (runId: string) =>
  new DomainError("RESULT_NOT_KEPT", {
    detail: `This idempotency key was used before, by the run ${runId}. Results of tools are not stored, so the answer cannot be repeated.`,
    runId,
  });
