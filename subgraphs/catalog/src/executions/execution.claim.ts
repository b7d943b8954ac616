import type { Database, Transaction } from "@factory/runtime/db/database";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/outbox/envelope";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";
import { LockMode } from "@mikro-orm/postgresql";
import { Execution } from "./execution.entity.js";
import type { ExecutionPayload } from "./execution.job.js";
import { type ExecutionPhase, type ExecutionState, executionStates } from "./execution.states.js";

/** Another worker has taken the execution over, or it has ended: whoever meets this writes nothing more. */
export class ClaimLost extends Error {
  override readonly name = "ClaimLost";
}

/** One worker's hold on an execution. Every write checks the fence, so a worker that was thought dead changes nothing. */
export class ExecutionClaim {
  readonly #database: Database;

  private constructor(
    database: Database,
    readonly tenant: Tenant,
    readonly execution: Readonly<Execution>,
  ) {
    this.#database = database;
  }

  /** Undefined: unknown, or finished before. */
  static async take(database: Database, payload: ExecutionPayload): Promise<ExecutionClaim | undefined> {
    const tenant = tenantWithId(payload.tenantId);
    const execution = await database.transaction(
      tenant,
      { trace: continueTrace(undefined) },
      async ({ em, execute }) => {
        const [taken] = await execute(
          `update executions set fence = fence + 1, status = 'Running', phase = 'FetchingSource', started_at = coalesce(started_at, now())
         where tenant_id = $1 and execution_id = $2 and status in ('Requested', 'Running') returning true`,
          [tenant.uuid, decodeId("exe", payload.executionId)],
        );
        return taken ? em.findOne(Execution, { tenantId: payload.tenantId, executionId: payload.executionId }) : null;
      },
    );
    return execution ? new ExecutionClaim(database, tenant, execution) : undefined;
  }

  enter(phase: ExecutionPhase): Promise<void> {
    return this.#write(async (execution) => {
      execution.phase = phase;
    });
  }

  /** Moves to a final state; `work` fills what belongs to it and records its events. */
  finish(
    state: Extract<ExecutionState, "Completed" | "Failed">,
    work: (execution: Execution, record: (event: Parameters<Transaction["record"]>[0]) => Envelope) => void,
  ): Promise<void> {
    return this.#write(async (execution, { record }) => {
      if (!(executionStates[execution.status].next as readonly string[]).includes(state)) throw new ClaimLost();
      execution.status = state;
      execution.phase = null;
      execution.completedAt = new Date();
      work(execution, record);
    });
  }

  #write(change: (execution: Execution, transaction: Transaction) => Promise<void>): Promise<void> {
    const { tenantId, executionId, fence, traceparent, requestedBy } = this.execution;
    const cause = { trace: continueTrace(traceparent), correlationId: executionId, actorId: requestedBy };
    return this.#database.transaction(this.tenant, cause, async (transaction) => {
      const held = await transaction.em.findOne(
        Execution,
        { tenantId, executionId, fence },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      if (!held) throw new ClaimLost();
      await change(held, transaction);
    });
  }
}
