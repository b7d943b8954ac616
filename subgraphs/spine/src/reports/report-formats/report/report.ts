/**
 * A column's kind. A cell with the kind `integer` or `decimal` is a finite number, with `boolean` a boolean, with
 * `date-time` a valid Date, and with `date` a calendar day as YYYY-MM-DD. Any cell may be null.
 */
export type CellKind = "text" | "integer" | "decimal" | "date" | "date-time" | "boolean";

/** One value in a row; `CellKind` says which type each column has. */
export type Cell = string | number | boolean | Date | null;

/** A report column. */
export interface ReportColumn {
  /** The name in csv and json, in camelCase. */
  readonly key: string;
  /** The header for people, in xlsx and pdf. */
  readonly title: string;
  readonly kind: CellKind;
  /** A text column's width relative to other text columns, in xlsx and pdf. 1 if absent. */
  readonly width?: number;
}

/** A chart that a pdf shows above the table, with at most 400 labels and six series. */
export interface ReportChart {
  readonly kind: "bar" | "line";
  readonly title: string;
  readonly labels: readonly string[];
  /** `values` has one number per label; null is a gap. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

/** A report without its rows. The same report with the same rows gives the same bytes. */
export interface Report {
  /** The definition's code, for example `usage-summary`. */
  readonly code: string;
  readonly title: string;
  /** Shown in this order. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly columns: readonly ReportColumn[];
  /** The instant that a pdf states as its creation: when the period ends, never the clock. */
  readonly asOf: Date;
  /** Sentences for the reader, for example that the period is not over. They are in json, xlsx and pdf. */
  readonly notes?: readonly string[];
  readonly charts?: readonly ReportChart[];
}

/** Row batches in their final order; a row has one cell per column. About 500 rows per batch are fast. */
export type ReportRows = AsyncIterable<readonly (readonly Cell[])[]>;

/**
 * Writes a report. It reads the next batch when the consumer asks for more bytes, fails with the error that `rows`
 * throws, and closes `rows` when the consumer stops.
 */
export type ReportWriter = (report: Report, rows: ReportRows) => AsyncIterable<Buffer>;
