import type { RowOf } from "@factory/runtime/db/entity-rows";
import { keyStatement } from "@factory/runtime/db/key-statement";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { StepFeed } from "@factory/runtime/step-feeds/step-feed";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { LockMode } from "@mikro-orm/postgresql";
import { Execution } from "./record/execution.entity.js";
import { executionStates } from "./record/execution.states.js";
import type { ExecutionType } from "./record/execution.type.js";
import { executionRowView, executionView } from "./record/execution.view.js";
import { eventFacts } from "./record/execution-event-data.js";
import { executionTable } from "./record/execution-steps.js";
import type { RequestExecutionInput, RetryExecutionInput } from "./request/execution.input.js";
import type { CheckedRequest, ExecutionAcceptance } from "./request/execution-acceptance.js";
import type { ExecutionQuota } from "./request/execution-quota.js";
import { type ExecutionFeedServices, type ExecutionFeedStep, stepsOfExecution } from "./watch/execution-feed.js";

const executionById = keyStatement(
  "execution_by_id",
  "select execution.* from executions execution where tenant_id = scope.tenant and execution_id = $2",
);

const cancel = executionTable.moveStatement(
  "execution_cancel",
  "phase = null, completed_at = now(), error = $error",
  // A worker that died while it pushed may have pushed its commit.
  `status in ('Requested', 'Running') and not exists (
    select from execution_changes change where change.tenant_id = executions.tenant_id
      and change.execution_id = executions.execution_id and change.phase = 'Pushing')`,
);

interface ExecutionServices {
  readonly database: Database;
  readonly acceptance: ExecutionAcceptance;
  readonly quota: ExecutionQuota;
  readonly feeds: ExecutionFeedServices;
}

/** A mutation that creates an execution, with the checks on its request. */
interface Creation {
  readonly field: string;
  readonly arguments: unknown;
  readonly check: () => Promise<CheckedRequest>;
}

/** Requests, cancels, retries, reads and watches executions. */
export class ExecutionService {
  readonly #services: ExecutionServices;

  constructor(services: ExecutionServices) {
    this.#services = services;
  }

  async find(tenant: Tenant, executionId: string): Promise<ExecutionType | undefined> {
    const uuid = decodeId("exe", executionId);
    if (uuid === undefined) return undefined;
    const row = await this.#services.database.reader.row<RowOf<Execution>>(executionById, tenant, uuid);
    return row && executionRowView(row);
  }

  async get(context: RequestContext, templateId: string, executionId: string): Promise<ExecutionType> {
    const execution = await this.find(tenantOf(context), executionId);
    if (execution?.templateId !== templateId) throw unknownExecution();
    return execution;
  }

  request(context: RequestContext, templateId: string, input: RequestExecutionInput): Promise<ExecutionType> {
    return this.#create(context, {
      field: "requestExecution",
      arguments: { templateId, input },
      check: () => this.#services.acceptance.check(context, { templateId, input }),
    });
  }

  /** Stops an execution that has not begun to push. Its running work is aborted. Throws INVALID_STATE. */
  cancel(context: RequestContext, executionId: string): Promise<ExecutionType> {
    return idempotentMutation(this.#services.database, context, {
      field: "cancelExecution",
      arguments: { executionId },
      commit: async (transaction) => {
        const execution = await lockedExecution(transaction, executionId);
        requireTask(context, execution);
        if (execution.status === "Cancelled") return executionView(execution);
        const values = { error: JSON.stringify(cancellation(context)) };
        const cancelledRow = await executionTable.move(transaction, cancel, {
          id: executionId,
          to: "Cancelled",
          values,
        });
        if (!cancelledRow) throw notCancellable(execution);
        transaction.record({
          type: "TemplateExecutionCancelled",
          subject: `executions/${executionId}`,
          data: eventFacts(execution),
        });
        return executionView(await transaction.em.refreshOrFail(execution));
      },
    });
  }

  /** Creates a new execution with the request of a failed or cancelled one. Throws INVALID_STATE. */
  retry(context: RequestContext, executionId: string, input: RetryExecutionInput): Promise<ExecutionType> {
    const { database, acceptance } = this.#services;
    return this.#create(context, {
      field: "retryExecution",
      arguments: { executionId, input },
      check: async () => {
        const earlier = await database.transaction(tenantOf(context), { trace: context.trace }, (transaction) =>
          lockedExecution(transaction, executionId),
        );
        if (earlier.status !== "Failed" && earlier.status !== "Cancelled") throw notRetryable(earlier);
        return acceptance.check(context, {
          templateId: earlier.templateId,
          input: sameRequest(earlier, input),
          retryOf: executionId,
        });
      },
    });
  }

  /** Every execution counts for the tenant's quota when it is created, also one that retries another. */
  async #create(context: RequestContext, { check, ...mutation }: Creation): Promise<ExecutionType> {
    const { database, acceptance, quota } = this.#services;
    const reservation = quota.reservation(context);
    const { executionId } = reservation;
    try {
      return await idempotentMutation(database, context, {
        ...mutation,
        prepare: async () => {
          const checkedRequest = await check();
          await reservation.make();
          return checkedRequest;
        },
        commit: async (transaction, checkedRequest) => {
          await reservation.use(transaction);
          return acceptance.accept(context, transaction, { ...checkedRequest, executionId });
        },
      });
    } finally {
      await reservation.end();
    }
  }

  /** Every step after the given sequence number. Without `after`, every step. */
  async watch(
    context: RequestContext,
    executionId: string,
    after: number | null | undefined,
  ): Promise<StepFeed<ExecutionFeedStep>> {
    const tenant = tenantOf(context);
    const execution = await this.find(tenant, executionId);
    if (!execution) throw unknownExecution();
    const source = stepsOfExecution(this.#services.feeds, tenant, { executionId, status: execution.status });
    return new StepFeed(source, { after: after ?? 0, expiresAt: principalOf(context).expiresAt });
  }
}

async function lockedExecution({ em, tenant }: Transaction, executionId: string): Promise<Execution> {
  const isExecutionId = decodeId("exe", executionId) !== undefined;
  const key = { tenantId: tenant.tenantId, executionId };
  const execution = isExecutionId ? await em.findOne(Execution, key, { lockMode: LockMode.PESSIMISTIC_WRITE }) : null;
  if (!execution) throw unknownExecution();
  return execution;
}

/** A token that is bound to an agent task may act for that task only. */
function requireTask(context: RequestContext, { agentTaskId }: Execution): void {
  const boundTaskId = principalOf(context).agentTaskId;
  if (boundTaskId !== undefined && boundTaskId !== agentTaskId)
    throw new DomainError("AGENT_TASK_MISMATCH", {
      detail: "The execution belongs to another agent task. Use a token of that task.",
    });
}

function sameRequest(earlier: Execution, { onConflict }: RetryExecutionInput): RequestExecutionInput {
  const { templateVersionId, parameters, libraries, agentTaskId } = earlier;
  const { repository, branch, directory, nameDirectory, credentialRef } = earlier;
  const { connectionId, requestedPullRequest: pullRequest } = earlier;
  return {
    templateVersionId,
    parameters,
    libraries,
    target: {
      repository,
      branch,
      directory,
      nameDirectory,
      credentialRef,
      connectionId,
      pullRequest: pullRequest && { ...pullRequest, labels: [...pullRequest.labels] },
      onConflict: onConflict ?? earlier.onConflict,
    },
    correlation: { agentTaskId },
  };
}

function cancellation(context: RequestContext) {
  return { code: "EXECUTION_CANCELLED", message: `Cancelled by ${principalOf(context).subject}.`, details: null };
}

const unknownExecution = () =>
  new DomainError("EXECUTION_NOT_FOUND", {
    detail: "No execution with this id exists in this tenant. List the executions to find the id.",
  });

function notCancellable({ status }: Execution): DomainError {
  const final = executionStates[status].next.length === 0;
  return new DomainError("INVALID_STATE", {
    detail: final
      ? `The execution is already ${status}, so it cannot be cancelled.`
      : "The execution has begun to push its commit, so it can no longer be cancelled.",
    currentState: status,
    allowed: ["Requested", "Running"],
  });
}

function notRetryable({ status }: Execution): DomainError {
  return new DomainError("INVALID_STATE", {
    detail: `The execution is ${status}. Only an execution that is Failed or Cancelled can be retried.`,
    currentState: status,
    allowed: ["Failed", "Cancelled"],
  });
}
