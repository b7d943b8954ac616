import { writeCsv } from "./csv.js";
import { writeJson } from "./json.js";
import { maxPdfRows } from "./pdf/table.js";
import type { Report, ReportRows, ReportWriter } from "./report/report.js";
import { maxSheetRows } from "./xlsx/sheet.js";
import { writeXlsx } from "./xlsx/xlsx.js";

/** A format in which a report can be written. */
interface ReportFormat {
  readonly contentType: string;
  readonly extension: string;
  /** A writer fails with TooManyRowsError above this number. */
  readonly maxRows: number;
  readonly write: ReportWriter;
}

/** Loads the library when the first pdf is written, since it would make every start a tenth of a second longer. */
async function* writePdf(report: Report, rows: ReportRows): AsyncGenerator<Buffer> {
  const pdf = await import("./pdf/pdf.js");
  yield* pdf.writePdf(report, rows);
}

/** The formats by the names that callers use. */
export const reportFormats = {
  csv: { contentType: "text/csv; charset=utf-8", extension: "csv", maxRows: Number.POSITIVE_INFINITY, write: writeCsv },
  json: { contentType: "application/json", extension: "json", maxRows: Number.POSITIVE_INFINITY, write: writeJson },
  xlsx: {
    contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    extension: "xlsx",
    maxRows: maxSheetRows,
    write: writeXlsx,
  },
  pdf: { contentType: "application/pdf", extension: "pdf", maxRows: maxPdfRows, write: writePdf },
} satisfies Record<string, ReportFormat>;
