import type { ReportCode } from "../definitions/known-reports.js";
import { auditLogSource } from "./audit-log-statement.js";
import type { ReportSource } from "./report-source.js";
import { usageSummarySource } from "./usage-summary-statement.js";
import { userActivitySource } from "./user-activity-statement.js";

/** Where each report's rows come from. */
export const reportSources: Readonly<Record<ReportCode, ReportSource>> = {
  "usage-summary": usageSummarySource,
  "audit-log": auditLogSource,
  "user-activity": userActivitySource,
};
