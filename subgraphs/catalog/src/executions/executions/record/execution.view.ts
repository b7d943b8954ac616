import { type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { traceIdOf } from "@factory/runtime/telemetry/trace";
import { Execution } from "./execution.entity.js";
import type { ExecutionType } from "./execution.type.js";
import type { StoredPullRequest } from "./pull-request.js";

const readExecution = rowReader(Execution);

/** The rows behind views that were read, so that a view's request is not read again. No view has the row itself. */
const rowsBehind = new WeakMap<ExecutionType, RowOf<Execution>>();

/** A row's GraphQL view. */
export function executionRowView(row: RowOf<Execution>): ExecutionType {
  const view = executionView(readExecution(row));
  rowsBehind.set(view, row);
  return view;
}

/** The row from which the view was made; undefined for a view that a mutation has made. */
export const rowBehind = (view: ExecutionType): RowOf<Execution> | undefined => rowsBehind.get(view);

function shownPullRequest({ number, url, state, openedAt, mergedAt, closedAt }: StoredPullRequest) {
  return { number, url, state, openedAt, mergedAt, closedAt };
}

/** An entity's GraphQL view, for example one that a mutation has created or changed. */
export function executionView(execution: RecordOf<Execution>): ExecutionType {
  const { executionId, templateId, templateVersionId, status, phase, scaffoldOutputId, retryOf } = execution;
  const { repository, branch, connectionId, pullRequest, agentTaskId } = execution;
  const { output, manualInstructions, warnings, error } = execution;
  return {
    executionId,
    templateId,
    templateVersionId,
    status,
    phase,
    scaffoldOutputId,
    requestedAt: execution.requestedAt.toISOString(),
    startedAt: execution.startedAt?.toISOString() ?? null,
    completedAt: execution.completedAt?.toISOString() ?? null,
    attempts: execution.fence,
    retryOf,
    target: { repository, branch, connectionId },
    correlation: { agentTaskId },
    output,
    pullRequest: pullRequest && shownPullRequest(pullRequest),
    manualInstructions,
    warnings,
    error,
    traceId: traceIdOf(execution.traceparent),
  };
}
