import type { RunOperation, RunStatus } from "@factory/schema/vocabularies/runs";
/** A run's states and the states that may follow. A run whose process died stays Running until it is claimed again. */
export const runStates = {
  Queued: { next: ["Running", "Cancelled"] },
  Running: { next: ["Completed", "RetryScheduled", "Failed", "TimedOut", "Cancelled"] },
  RetryScheduled: { next: ["Running", "Cancelled"] },
  Completed: { next: [] },
  Failed: { next: [] },
  TimedOut: { next: [] },
  Cancelled: { next: [] },
} as const satisfies Record<RunStatus, object>;

/** A run's state. */
export type RunState = RunStatus;

/** The states in which a run ends. */
export type FinalRunState = "Completed" | "Failed" | "TimedOut" | "Cancelled";

/** Whether a run in this state does nothing more. */
export const isFinal = (status: RunState): status is FinalRunState => runStates[status].next.length === 0;

/**
 * The operations whose work a process does while its caller waits for the answer. Their runs have no job, and their own
 * events tell about their end.
 */
export const heldOperations = [
  "CompleteModel",
  "EmbedModel",
  "StreamModel",
  "ListTools",
  "InvokeTool",
] as const satisfies readonly RunOperation[];

/** The name for an operation whose runs are held. */
export type HeldOperation = (typeof heldOperations)[number];

/** `requestedBy` of runs that the platform starts by itself. */
export const systemActor = "system";

/** SQL condition for scheduled checks that went well. They are kept for two days. */
export const routineRuns = `operation = 'CheckHealth' and status = 'Completed' and requested_by = '${systemActor}'`;

/** SQL condition for the webhook replays that have not ended. */
export const openReplays = "operation = 'ReplayDeliveries' and status in ('Queued', 'Running', 'RetryScheduled')";

/**
 * SQL condition for the runs that wait for a job. A delivery's run has no job: the delivery dispatcher claims the
 * delivery and ends the run with it.
 */
export const runWaits = "status in ('Queued', 'Running', 'RetryScheduled') and operation <> 'ProcessDelivery'";
