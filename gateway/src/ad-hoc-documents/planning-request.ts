import type { PlanData } from "../query-planner/planner.js";

/** The settings that a planning thread gets at its start. */
export interface PlanningSetup {
  readonly supergraphSdl: string;
  readonly introspection: boolean;
  readonly maxPlanBytes: number;
}

/**
 * An operation in a document that is within the limits. The document may be invalid, or the operation may be missing.
 */
export interface PlanningRequest {
  readonly text: string;
  readonly operationName: string | undefined;
}

/** A GraphQL error in a form that can be sent between threads. */
export interface PlanningProblem {
  readonly message: string;
  readonly positions: readonly number[] | undefined;
  readonly extensions: Readonly<Record<string, unknown>>;
}

export type PlanningAnswer =
  | { readonly kind: "planned"; readonly plans: PlanData; readonly bytes: number; readonly cpuMs: number }
  /** The document is invalid or too complex. */
  | { readonly kind: "refused"; readonly problems: readonly PlanningProblem[]; readonly cpuMs: number }
  /** The planner has a defect. */
  | { readonly kind: "broken"; readonly message: string; readonly cpuMs: number };
