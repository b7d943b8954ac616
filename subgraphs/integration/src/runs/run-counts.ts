import type { RunOperation } from "@factory/schema/vocabularies/runs";
import type { RunState } from "./run.states.js";

/** The end of an attempt or a run: a final state, or RetryScheduled. */
type RunOutcome = Exclude<RunState, "Queued" | "Running">;

/** The number of times that an operation had an outcome. */
export interface RunCount {
  readonly operation: RunOperation;
  readonly outcome: RunOutcome;
  readonly count: number;
}

/** Counts run outcomes in this process, for its metrics. */
export class RunCounts {
  readonly #counts = new Map<string, RunCount>();

  add(operation: RunOperation, outcome: RunOutcome): void {
    const key = `${operation} ${outcome}`;
    this.#counts.set(key, { operation, outcome, count: (this.#counts.get(key)?.count ?? 0) + 1 });
  }

  get all(): readonly RunCount[] {
    return [...this.#counts.values()];
  }
}
