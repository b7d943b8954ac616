import type { Cell, ReportColumn } from "../../report-formats/report/report.js";
import type { SnapshotRow } from "../snapshot/report-snapshot.js";

/** A column of a report with its expression in SQL. */
export interface SqlColumn extends ReportColumn {
  readonly sql: string;
  /** Makes the cell of a value that is not null. Absent: by the kind of the column. */
  readonly cell?: (value: string) => Cell;
  /** Whether a pdf has the column. */
  readonly isNarrow?: true;
}

/** Converts rows of the database into rows of a report. */
export function cellsOf(columns: readonly SqlColumn[]): (rows: readonly SnapshotRow[]) => Cell[][] {
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

/** The columns of a format. */
export const columnsIn = (columns: readonly SqlColumn[], format: string): readonly SqlColumn[] =>
  format === "pdf" ? columns.filter(({ isNarrow }) => isNarrow) : columns;

/** The list of the expressions for a select. */
export const selected = (columns: readonly SqlColumn[]): string => columns.map(({ sql }) => sql).join(", ");
