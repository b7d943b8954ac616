import type { JobDefinition } from "@factory/runtime/jobs/definitions/job-definition";
import type { WaitingRows } from "@factory/runtime/jobs/sweeping/job-rows";
import { reportContentIsDue, reportRunWaits } from "./report-run.states.js";

/** The payload for a report run's jobs. */
export interface RunPayload {
  tenantId: string;
  reportRunId: string;
}

/** The report runs that a process works on at a time, for all tenants together; each holds a separate connection. */
export const runsAtOnce = 4;

const notRedrivable = "The run of this job has ended. Generate the report again, which starts a new run.";

/**
 * The job that generates a report, three times at most. Tenants take turns, and no tenant occupies all places in a
 * process.
 */
export const generateReportJob: JobDefinition<RunPayload> = {
  queue: "generate-report",
  retryLimit: 2,
  retryDelaySeconds: 2,
  retryBackoff: true,
  expireInSeconds: 900,
  concurrency: runsAtOnce,
  concurrencyPerTenant: 2,
  fair: true,
  subject: "reportRunId",
  notRedrivable,
};

/** The runs that only their job ends, for the sweep that finds those without a job. */
export const waitingReportRuns: WaitingRows<RunPayload> = {
  slice: "reports",
  job: generateReportJob,
  table: "report_runs",
  id: "run_id",
  prefix: "run",
  waiting: reportRunWaits,
  since: "requested_at",
  payload: ({ tenantId, id }) => ({ tenantId, reportRunId: id }),
};

/** The job that removes a run's content when it expires. */
export const expireReportJob: JobDefinition<RunPayload> = {
  queue: "expire-report",
  retryLimit: 5,
  retryDelaySeconds: 30,
  retryBackoff: true,
  expireInSeconds: 60,
  concurrency: 1,
  concurrencyPerTenant: 1,
  subject: "reportRunId",
};

/** Runs whose content has expired; one without a job gets its job again. */
export const expiredReportRuns: WaitingRows<RunPayload> = {
  slice: "report-contents",
  job: expireReportJob,
  table: "report_runs",
  id: "run_id",
  prefix: "run",
  waiting: reportContentIsDue,
  since: "expires_at",
  payload: ({ tenantId, id }) => ({ tenantId, reportRunId: id }),
};
