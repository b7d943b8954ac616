import type { Readable } from "node:stream";
import type { Principal } from "@factory/runtime/auth/principal";

/** A report run's content. */
export interface ReportContent {
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The bytes from `start` to `end`, both included. */
  read(start: number, end: number): Promise<Readable>;
}

/** Opens report runs' contents. */
export interface ReportContents {
  /** Refuses a run that the caller may not read, and one without a content. */
  open(caller: Principal, reportRunId: string): Promise<ReportContent>;
}
