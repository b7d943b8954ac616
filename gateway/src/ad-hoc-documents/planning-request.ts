import type { PlanData } from "../query-planner/operation-planner.js";

/** The settings that a planning thread gets at its start. */
export interface PlanningSetup {
  readonly supergraphSdl: string;
  readonly introspection: boolean;
  readonly maxPlanBytes: number;
}

/** An operation of a document within its limits. It may be invalid or absent. */
export interface PlanningRequest {
  readonly text: string;
  readonly operationName: string | undefined;
}

/** A GraphQL error, on its way between threads. */
export interface PlanningProblem {
  readonly message: string;
  readonly positions: readonly number[] | undefined;
  readonly extensions: Readonly<Record<string, unknown>>;
}

export type PlanningAnswer =
  | { readonly kind: "planned"; readonly plans: PlanData; readonly bytes: number; readonly cpuMs: number }
  /** The document is wrong. */
  | { readonly kind: "refused"; readonly problems: readonly PlanningProblem[]; readonly cpuMs: number }
  /** The planner has a defect. */
  | { readonly kind: "broken"; readonly message: string; readonly cpuMs: number };
