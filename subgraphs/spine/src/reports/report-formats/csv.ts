import type { Cell, Report, ReportRows } from "./report/report.js";

/**
 * Texts that a spreadsheet may run as a formula (OWASP, CSV Injection), with any apostrophes before them: so each text
 * that gets an apostrophe can lose one again. The signs = + - @ also count in their full-width forms.
 */
const formula = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

const needsQuotes = /[",\r\n]/;

/**
 * RFC 4180 in UTF-8 with a header that has the column keys. A text that could be a formula begins with one more
 * apostrophe; null and the empty text are both an empty field.
 */
export async function* writeCsv({ columns }: Report, rows: ReportRows): AsyncGenerator<Buffer> {
  yield Buffer.from(recordOf(columns.map(({ key }) => key)));
  for await (const batch of rows) {
    let text = "";
    for (const row of batch) text += recordOf(row);
    yield Buffer.from(text);
  }
}

const recordOf = (row: readonly Cell[]): string => `${row.map(fieldOf).join(",")}\r\n`;

function fieldOf(cell: Cell): string {
  if (typeof cell === "string") return textField(cell);
  if (cell === null) return "";
  return cell instanceof Date ? cell.toISOString() : String(cell);
}

function textField(text: string): string {
  const guardedText = formula.test(text) ? `'${text}` : text;
  return needsQuotes.test(guardedText) ? `"${guardedText.replaceAll('"', '""')}"` : guardedText;
}
