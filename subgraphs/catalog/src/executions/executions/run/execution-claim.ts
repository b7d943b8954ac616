import type { NamedStatement } from "@factory/runtime/db/named-parameters";
import { requireMoved } from "@factory/runtime/runs/run-lost";
import type { Move } from "@factory/runtime/runs/run-table";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { ExecutionPhase } from "@factory/schema/vocabularies/executions";
import { Execution } from "../record/execution.entity.js";
import type { ExecutionState } from "../record/execution.states.js";
import type { ExecutionPayload } from "../record/execution-job.js";
import { executionTable } from "../record/execution-steps.js";

const claim = executionTable.moveStatement(
  "execution_claim",
  "fence = fence + 1, phase = 'FetchingSource', started_at = coalesce(started_at, now())",
  "status in ('Requested', 'Running')",
);
const isClaimed = "fence = $fence and status = 'Running'";
const enter = executionTable.moveStatement("execution_enter", "phase = $phase", isClaimed);
const finish = executionTable.moveStatement("execution_finish", "phase = null, completed_at = now()", isClaimed);

/**
 * One worker's claim on an execution. Every write checks the fence, so a worker that lost its claim changes nothing.
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
      const claimedRow = await executionTable.move(transaction, claim, { id: payload.executionId, to: "Running" });
      const { tenantId, executionId } = payload;
      return claimedRow ? transaction.em.findOne(Execution, { tenantId, executionId }) : null;
    });
    return execution ? new ExecutionClaim(database, tenant, execution) : undefined;
  }

  /** Stores the next phase. Throws RunLost. */
  enter(phase: ExecutionPhase): Promise<void> {
    return this.#move(enter, { to: "Running", values: { phase } });
  }

  /**
   * Moves to a final state. `work` sets the result on the entity and records events, in the same transaction. Throws
   * RunLost.
   */
  finish(
    state: Extract<ExecutionState, "Completed" | "Failed">,
    work: (execution: Execution, transaction: Transaction) => Promise<void> | void,
  ): Promise<void> {
    return this.#move(finish, { to: state }, async (transaction) => {
      const { tenantId, executionId } = this.execution;
      await work(await transaction.em.findOneOrFail(Execution, { tenantId, executionId }), transaction);
    });
  }

  #move(
    statement: NamedStatement,
    { to, values }: Omit<Move<ExecutionState>, "id">,
    work?: (transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    const { executionId, fence, traceparent, requestedBy } = this.execution;
    const cause = { trace: continueTrace(traceparent), correlationId: executionId, actorId: requestedBy };
    return this.#database.transaction(this.tenant, cause, async (transaction) => {
      const move = { id: executionId, to, values: { ...values, fence } };
      requireMoved(await executionTable.move(transaction, statement, move));
      await work?.(transaction);
    });
  }
}
