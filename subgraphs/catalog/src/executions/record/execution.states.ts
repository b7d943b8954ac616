/** Requested and Running may still move; the others are final. `event` is what the move into a state emits. */
export const executionStates = {
  Requested: { next: ["Running", "Cancelled"], event: null },
  Running: { next: ["Completed", "Failed", "Cancelled"], event: null },
  Completed: { next: [], event: "TemplateExecuted" },
  Failed: { next: [], event: "TemplateExecutionFailed" },
  Cancelled: { next: [], event: "TemplateExecutionCancelled" },
} as const;

/** SQL: the states that only a job ends. */
export const executionWaits = "status in ('Requested', 'Running')";

export type ExecutionState = keyof typeof executionStates;

/** What a running execution is doing. */
export const executionPhases = ["Queued", "FetchingSource", "Rendering", "InjectingLibraries", "Pushing"] as const;

export type ExecutionPhase = (typeof executionPhases)[number];
