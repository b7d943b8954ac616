import { type ValueOf, vocabulary } from "./vocabulary.js";

export const reportRunStatuses = vocabulary("ReportRunStatus", "The states of a report run.", {
  Queued: "The run waits for its job.",
  Running: "The report is being written.",
  Completed: "The content can be read.",
  Failed: "The report could not be written.",
  Cancelled: "A caller has cancelled the run.",
  Expired: "The content is removed.",
});
export type ReportRunStatus = ValueOf<typeof reportRunStatuses>;

export const reportFormatNames = vocabulary("ReportFormat", "The formats of a report.", {
  csv: "Comma-separated values (RFC 4180).",
  json: "JSON.",
  xlsx: "A sheet of Office Open XML.",
  pdf: "PDF.",
});
export type ReportFormatName = ValueOf<typeof reportFormatNames>;
