import type { Cell, ReportColumn } from "../../report-formats/report/report.js";
import type { ValueRow } from "../snapshot/report-snapshot.js";

/** A report column with its SQL expression. */
export interface SqlColumn extends ReportColumn {
  readonly sql: string;
  /** Makes the cell for a value that is not null. Absent: by the column's kind. */
  readonly cell?: (value: string) => Cell;
  /** Whether a pdf has the column. */
  readonly isNarrow?: true;
}

/** Converts database rows into report rows. */
export function cellsOf(columns: readonly SqlColumn[]): (rows: readonly ValueRow[]) => Cell[][] {
  const converters = columns.map(({ kind, cell }) => cell ?? (kind === "integer" ? Number : undefined));
  return (rows) =>
    rows.map((row) =>
      converters.map((convert, at) => {
        const value = row[at] as Cell | undefined;
        if (value === null || value === undefined) return null;
        return convert ? convert(String(value)) : value;
      }),
    );
}

/** A format's columns. */
export const columnsIn = (columns: readonly SqlColumn[], format: string): readonly SqlColumn[] =>
  format === "pdf" ? columns.filter(({ isNarrow }) => isNarrow) : columns;

/** The expressions for a select, as a list. */
export const selected = (columns: readonly SqlColumn[]): string => columns.map(({ sql }) => sql).join(", ");
