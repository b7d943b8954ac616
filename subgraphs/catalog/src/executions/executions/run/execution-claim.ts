import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { Execution } from "../record/execution.entity.js";
import type { ExecutionPhase, ExecutionState } from "../record/execution.states.js";
import type { ExecutionPayload } from "../record/execution-job.js";
import { moveExecution } from "../record/execution-steps.js";

/**
 * Another worker has claimed the execution, or it has ended. The worker that gets this error must write nothing more.
 */
export class ClaimLost extends Error {
  override readonly name = "ClaimLost";
}

/**
 * The claim of one worker on an execution. Every write checks the fence, so a worker that lost its claim changes
 * nothing.
 */
export class ExecutionClaim {
  readonly #database: Database;

  private constructor(
    database: Database,
    readonly tenant: Tenant,
    readonly execution: Readonly<Execution>,
  ) {
    this.#database = database;
  }

  /** Claims an execution. Undefined when it does not exist or is final. */
  static async take(database: Database, payload: ExecutionPayload): Promise<ExecutionClaim | undefined> {
    const tenant = tenantWithId(payload.tenantId);
    const execution = await database.transaction(tenant, { trace: continueTrace(undefined) }, async (transaction) => {
      const taken = await moveExecution(transaction, {
        executionId: uuidOf(payload.executionId),
        set: "fence = fence + 1, status = 'Running', phase = 'FetchingSource', started_at = coalesce(started_at, now())",
        when: "status in ('Requested', 'Running')",
        values: [],
      });
      const { tenantId, executionId } = payload;
      return taken ? transaction.em.findOne(Execution, { tenantId, executionId }) : null;
    });
    return execution ? new ExecutionClaim(database, tenant, execution) : undefined;
  }

  /** Stores the next phase. Throws ClaimLost. */
  enter(phase: ExecutionPhase): Promise<void> {
    return this.#move("phase = $4", [phase]);
  }

  /**
   * Moves to a final state. `work` sets the result on the entity and records events, in the same transaction. Throws
   * ClaimLost.
   */
  finish(
    state: Extract<ExecutionState, "Completed" | "Failed">,
    work: (execution: Execution, transaction: Transaction) => Promise<void> | void,
  ): Promise<void> {
    return this.#move("status = $4, phase = null, completed_at = now()", [state], async (transaction) => {
      const { tenantId, executionId } = this.execution;
      await work(await transaction.em.findOneOrFail(Execution, { tenantId, executionId }), transaction);
    });
  }

  #move(set: string, values: readonly unknown[], work?: (transaction: Transaction) => Promise<void>): Promise<void> {
    const { executionId, fence, traceparent, requestedBy } = this.execution;
    const cause = { trace: continueTrace(traceparent), correlationId: executionId, actorId: requestedBy };
    return this.#database.transaction(this.tenant, cause, async (transaction) => {
      const moved = await moveExecution(transaction, {
        executionId: uuidOf(executionId),
        set,
        when: "fence = $3 and status = 'Running'",
        values: [fence, ...values],
      });
      if (!moved) throw new ClaimLost();
      await work?.(transaction);
    });
  }
}

function uuidOf(executionId: string): string {
  const uuid = decodeId("exe", executionId);
  if (uuid === undefined) throw new Error(`"${executionId}" is not a valid execution id.`);
  return uuid;
}
