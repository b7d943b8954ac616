import type { TenantStatement } from "@factory/runtime/db/tenant-statement";
import type { ReportChart, ReportColumn, ReportRows } from "../../report-formats/report/report.js";
import type { ReportSnapshot } from "../snapshot/report-snapshot.js";

/** The rows that a report asks for. */
export interface SourceQuery {
  readonly tenantUuid: string;
  /** The first moment in the period. */
  readonly start: Date;
  /** The first moment after the period. */
  readonly end: Date;
  /** False: the period was not over for an hour when the report was requested. */
  readonly periodOver: boolean;
  /** The subjects in audit records that the report leaves out: its own run, and other runs with the same report. */
  readonly leftOut: readonly string[];
}

/** One report's rows in a format. */
interface SourceRows {
  readonly total: number;
  /** The rows with one cell for each column in the format. They are read once, within the snapshot. */
  readonly rows: ReportRows;
  readonly charts?: readonly ReportChart[];
}

/** Reads one report from the spine's tables. The same rows in the tables give the same rows in the same order. */
export interface ReportSource {
  /** The columns in a format. A pdf has fewer, since a page is narrow. */
  columns(format: string): readonly ReportColumn[];
  read(snapshot: ReportSnapshot, query: SourceQuery, format: string): Promise<SourceRows>;
  /**
   * Counts the rows as far as `$4`, from `$2` and before `$3`, before a run begins. Absent: the report is small in every
   * case.
   */
  readonly countUpTo?: TenantStatement;
}
