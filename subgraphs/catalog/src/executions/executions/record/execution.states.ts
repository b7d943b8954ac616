import type { ExecutionStatus } from "@factory/schema/vocabularies/executions";
/** An execution's states and the states that may follow. `event` is recorded when the state is reached. */
export const executionStates = {
  Requested: { next: ["Running", "Cancelled"], event: null },
  Running: { next: ["Completed", "Failed", "Cancelled"], event: null },
  Completed: { next: [], event: "TemplateExecuted" },
  Failed: { next: [], event: "TemplateExecutionFailed" },
  Cancelled: { next: [], event: "TemplateExecutionCancelled" },
} as const satisfies Record<ExecutionStatus, object>;

/** SQL condition for the states that only a job ends. */
export const executionWaits = "status in ('Requested', 'Running')";

/** An execution's state. */
export type ExecutionState = ExecutionStatus;
