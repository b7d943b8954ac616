import { tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { JobEnd, JobOwner } from "@factory/runtime/jobs/definitions/job-definition";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { Execution } from "../record/execution.entity.js";
import type { ExecutionErrorType } from "../record/execution.type.js";
import { eventFacts } from "../record/execution-event-data.js";
import type { ExecutionPayload } from "../record/execution-job.js";
import { moveExecution } from "../record/execution-steps.js";

export const internalError = { code: "INTERNAL", message: "An internal error occurred.", details: null } as const;

/** Notes why an execution has just become Failed, and records the event. */
export function recordFailure(
  execution: Execution,
  { record }: Pick<Transaction, "record">,
  error: ExecutionErrorType,
): void {
  execution.error = error;
  const { code, message } = error;
  record({
    type: "TemplateExecutionFailed",
    subject: `executions/${execution.executionId}`,
    data: { ...eventFacts(execution), error: { code, message } },
  });
}

const causeOfExecution = tenantStatement(
  "execution_cause",
  "select traceparent, requested_by from executions where tenant_id = scope.tenant and execution_id = $2",
);

/** Ends the execution whose job has used up its chances. */
export class ExecutionFailure implements JobOwner<ExecutionPayload> {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The fence rises, so a worker that was thought dead writes nothing more. */
  async abandoned({ tenantId, executionId }: ExecutionPayload, end: JobEnd): Promise<void> {
    const tenant = tenantWithId(tenantId);
    const uuid = decodeId("exe", executionId) ?? "";
    const { reader } = this.#database;
    const known = await reader.row<{ traceparent: string; requested_by: string }>(causeOfExecution, tenant, uuid);
    if (!known) return;
    const { traceparent, requested_by: actorId } = known;
    const cause = { trace: continueTrace(traceparent), correlationId: executionId, actorId };
    await this.#database.transaction(tenant, cause, async (transaction) => {
      const move = (set: string, when: string) =>
        moveExecution(transaction, { executionId: uuid, set, when, values: [] });
      // watchers are told every step, and Failed follows Running only
      await move(
        "fence = fence + 1, status = 'Running', started_at = coalesce(started_at, now())",
        "status = 'Requested'",
      );
      const failed = "fence = fence + 1, status = 'Failed', phase = null, completed_at = now()";
      if (!(await move(failed, "status = 'Running'"))) return;
      const execution = await transaction.em.findOneOrFail(Execution, { tenantId, executionId });
      recordFailure(execution, transaction, errorOf(end));
    });
  }
}

/** What an unexpected failure says is for the log. */
function errorOf({ code, message }: JobEnd): ExecutionErrorType {
  return code === "WORKER_DIED" || code === "RUN_TOO_LONG" ? { code, message, details: null } : internalError;
}
