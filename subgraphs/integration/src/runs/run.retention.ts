import type { RetentionRule } from "@factory/runtime/db/retention";
import { routineRuns } from "./run.states.js";

/** Checks by schedule that went well are kept for two days. */
export const routineRunRetention: RetentionRule = {
  table: "runs",
  expired: `${routineRuns} and completed_at < now() - interval '2 days'`,
  order: "completed_at",
};

/** Ended runs, and what is kept as long as they are. */
export const runRetentionDays = 90;

export const runRetention: RetentionRule = {
  table: "runs",
  expired: `completed_at < now() - interval '${runRetentionDays} days'`,
  order: "completed_at",
};
