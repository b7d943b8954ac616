import { type Options, stringify } from "csv-stringify/sync";
import type { Report, ReportRows } from "./report/report.js";

/**
 * Texts that a spreadsheet may run as a formula (OWASP, CSV Injection), with any apostrophes before them: so each text
 * that gets an apostrophe can lose one again.
 */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

/**
 * RFC 4180 in UTF-8 with a header of column keys. A text that could be a formula begins with one more apostrophe; null
 * and the empty text are both an empty field.
 */
export async function* writeCsv({ columns }: Report, rows: ReportRows): AsyncGenerator<Buffer> {
  const options: Options = {
    record_delimiter: "\r\n",
    eof: true,
    cast: {
      string: (value) => (formula.test(value) ? `'${value}` : value),
      boolean: String,
      date: (value) => value.toISOString(),
    },
  };
  yield Buffer.from(stringify([columns.map(({ key }) => key)], options));
  for await (const batch of rows) yield Buffer.from(stringify(batch as unknown[][], options));
}
