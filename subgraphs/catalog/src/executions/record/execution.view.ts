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
  "target" | "correlation" | "requestedAt" | "startedAt" | "completedAt" | "attempts" | "traceId"
> &
  Pick<
    Execution,
    "repository" | "branch" | "agentTaskId" | "requestedAt" | "startedAt" | "completedAt" | "fence" | "traceparent"
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
    output: row.output,
    manualInstructions: row.manual_instructions,
    warnings: row.warnings,
    error: row.error,
    traceparent: row.traceparent,
  });
}

/** The GraphQL view of an entity, for example one that a mutation has created or changed. */
export function executionView(execution: ViewedExecution): ExecutionType {
  const { executionId, templateId, templateVersionId, status, phase, scaffoldOutputId, retryOf } = execution;
  const { repository, branch, agentTaskId, output, manualInstructions, warnings, error } = execution;
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
    target: { repository, branch },
    correlation: { agentTaskId },
    output,
    manualInstructions,
    warnings,
    error,
    traceId: traceIdOf(execution.traceparent),
  };
}
