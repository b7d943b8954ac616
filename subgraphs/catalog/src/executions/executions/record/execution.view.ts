import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { traceIdOf } from "@factory/runtime/telemetry/trace";
import type { Execution } from "./execution.entity.js";
import type { ExecutionPhase, ExecutionState } from "./execution.states.js";
import type {
  ExecutionErrorType,
  ExecutionType,
  ExecutionWarningType,
  ManualInstructionType,
  ScaffoldOutputType,
} from "./execution.type.js";
import type { StoredPullRequest } from "./pull-request.js";

/** A row of `executions` as PostgreSQL gives it. */
export interface ExecutionRow {
  execution_id: string;
  template_id: string;
  template_version_id: string;
  status: ExecutionState;
  phase: ExecutionPhase | null;
  fence: number;
  retry_of: string | null;
  repository: string;
  branch: string;
  agent_task_id: string | null;
  connection_id: string | null;
  pull_request: StoredPullRequest | null;
  traceparent: string;
  requested_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
  scaffold_output_id: string | null;
  output: ScaffoldOutputType | null;
  manual_instructions: ManualInstructionType[];
  warnings: ExecutionWarningType[];
  error: ExecutionErrorType | null;
}

type ViewedExecution = Omit<
  ExecutionType,
  "target" | "correlation" | "pullRequest" | "requestedAt" | "startedAt" | "completedAt" | "attempts" | "traceId"
> &
  Pick<
    Execution,
    | "repository"
    | "branch"
    | "connectionId"
    | "pullRequest"
    | "agentTaskId"
    | "requestedAt"
    | "startedAt"
    | "completedAt"
    | "fence"
    | "traceparent"
  >;

/** The GraphQL view of a row. */
export function executionRowView(row: ExecutionRow): ExecutionType {
  return executionView({
    executionId: encodeId("exe", row.execution_id),
    templateId: encodeId("tpl", row.template_id),
    templateVersionId: encodeId("tpv", row.template_version_id),
    status: row.status,
    phase: row.phase,
    scaffoldOutputId: row.scaffold_output_id === null ? null : encodeId("sca", row.scaffold_output_id),
    requestedAt: row.requested_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    fence: row.fence,
    retryOf: row.retry_of === null ? null : encodeId("exe", row.retry_of),
    repository: row.repository,
    branch: row.branch,
    agentTaskId: row.agent_task_id,
    connectionId: row.connection_id === null ? null : encodeId("con", row.connection_id),
    pullRequest: row.pull_request,
    output: row.output,
    manualInstructions: row.manual_instructions,
    warnings: row.warnings,
    error: row.error,
    traceparent: row.traceparent,
  });
}

function shownPullRequest({ number, url, state, openedAt, mergedAt, closedAt }: StoredPullRequest) {
  return { number, url, state, openedAt, mergedAt, closedAt };
}

/** The GraphQL view of an entity, for example one that a mutation has created or changed. */
export function executionView(execution: ViewedExecution): ExecutionType {
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
