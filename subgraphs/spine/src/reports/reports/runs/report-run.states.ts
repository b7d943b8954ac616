import type { ReportRunStatus } from "@factory/schema/vocabularies/reports";

/** A report run's states and their next states. A run whose process died stays Running until it is claimed again. */
const reportRunStates = {
  Queued: { next: ["Running", "Cancelled"] },
  Running: { next: ["Completed", "Failed", "Cancelled"] },
  Completed: { next: ["Expired"] },
  Failed: { next: [] },
  Cancelled: { next: [] },
  Expired: { next: [] },
} as const satisfies Record<ReportRunStatus, object>;

/** A report run's state. */
export type ReportRunState = keyof typeof reportRunStates;

/** SQL condition for the runs that wait for their job. */
export const reportRunWaits = "status in ('Queued', 'Running')";

/** SQL condition for the runs whose content is stored. */
export const reportContentIsStored = "status = 'Completed'";

/** SQL condition for the runs whose content has expired, which the expiry job removes. */
export const reportContentIsDue = `${reportContentIsStored} and expires_at < now()`;

/** SQL condition for the runs that have nothing more to come. */
export const reportRunIsOver = "status in ('Failed', 'Cancelled', 'Expired')";

/** Whether a run in this state makes no more progress. */
export const isSettled = (status: ReportRunState): boolean => status !== "Queued" && status !== "Running";
