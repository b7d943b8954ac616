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
import { executionTable } from "../record/execution-steps.js";

/** The error that a caller sees for a bug. */
export const internalError = { code: "INTERNAL", message: "An internal error occurred.", details: null } as const;

/** Sets the error on an execution that has just become Failed, and records the event. */
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

// Both raise the fence, so that a worker that is still alive can write nothing more.
const begin = executionTable.moveStatement(
  "execution_begin",
  "fence = fence + 1, started_at = coalesce(started_at, now())",
  "status = 'Requested'",
);
const abandon = executionTable.moveStatement(
  "execution_abandon",
  "fence = fence + 1, phase = null, completed_at = now()",
  "status = 'Running'",
);

/** Fails the execution whose job was abandoned after its last attempt. */
export class ExecutionFailure implements JobOwner<ExecutionPayload> {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async abandoned({ tenantId, executionId }: ExecutionPayload, end: JobEnd): Promise<void> {
    const tenant = tenantWithId(tenantId);
    const uuid = decodeId("exe", executionId) ?? "";
    const { reader } = this.#database;
    const storedCause = await reader.row<{ traceparent: string; requested_by: string }>(causeOfExecution, tenant, uuid);
    if (!storedCause) return;
    const { traceparent, requested_by: actorId } = storedCause;
    const cause = { trace: continueTrace(traceparent), correlationId: executionId, actorId };
    await this.#database.transaction(tenant, cause, async (transaction) => {
      // Watchers see every step, and Failed may follow only Running.
      await executionTable.move(transaction, begin, { id: executionId, to: "Running" });
      if (!(await executionTable.move(transaction, abandon, { id: executionId, to: "Failed" }))) return;
      const execution = await transaction.em.findOneOrFail(Execution, { tenantId, executionId });
      recordFailure(execution, transaction, errorOf(end));
    });
  }
}

/** The message of an unexpected failure is only for the log. */
function errorOf({ code, message }: JobEnd): ExecutionErrorType {
  return code === "WORKER_DIED" || code === "RUN_TOO_LONG" ? { code, message, details: null } : internalError;
}
