import type { Cell, CellKind, ReportColumn, ReportRows } from "../report/report.js";
import { TooManyRowsError } from "../report/too-many-rows.js";
import { cellStyles } from "./workbook-parts.js";
import { xmlText } from "./xml-text.js";

/** The rows below the header: a sheet has 1,048,576 rows. */
export const maxSheetRows = 1_048_575;

const millisecondsPerDay = 86_400_000;
/** The serial number for 1970-01-01, in days. */
const epochSerial = 25_569;
/** Before 1900-03-01 the serial numbers in Excel count a day that did not exist. */
const firstSerial = 61;
const endSerial = 2_958_466;

/** Widths in characters, by kind. */
const widths: Record<CellKind, number> = {
  text: 24,
  integer: 14,
  decimal: 16,
  date: 12,
  "date-time": 21,
  boolean: 10,
};

/** The main sheet as XML: a bold header that stays in view, then the rows with one style per kind. */
export async function* sheetXml(columns: readonly ReportColumn[], rows: ReportRows): AsyncGenerator<Buffer> {
  const writers = columns.map((column, index) => cellWriter(column.kind, columnName(index)));
  const header = columns.map(({ title }, index) => textCell(`${columnName(index)}1`, title, cellStyles.header));
  yield Buffer.from(`${sheetHead(columns)}<row r="1">${header.join("")}</row>\n`);
  let row = 1;
  for await (const batch of rows) {
    if (row + batch.length > maxSheetRows + 1) throw new TooManyRowsError("An xlsx sheet", maxSheetRows);
    let xml = "";
    for (const cells of batch) {
      row += 1;
      xml += `<row r="${row}">`;
      for (let index = 0; index < writers.length; index += 1) xml += writers[index]?.(row, cells[index] ?? null);
      xml += "</row>\n";
    }
    yield Buffer.from(xml);
  }
  yield Buffer.from("</sheetData></worksheet>");
}

/** A sheet with two text columns: names and values. */
export function pairsXml(pairs: readonly (readonly [string, string])[]): string {
  const lines = pairs.map(([name, value], index) => {
    const row = index + 1;
    return `<row r="${row}">${textCell(`A${row}`, name, cellStyles.header)}${textCell(`B${row}`, value, cellStyles.text)}</row>`;
  });
  const cols = `<cols>${colXml(1, 20)}${colXml(2, 80)}</cols>`;
  return `${worksheetStart}${cols}<sheetData>${lines.join("")}</sheetData></worksheet>`;
}

const worksheetStart = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">`;

function sheetHead(columns: readonly ReportColumn[]): string {
  const pane = `<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>`;
  const views = `<sheetViews><sheetView workbookViewId="0" tabSelected="1">${pane}</sheetView></sheetViews>`;
  const cols = columns.map((column, index) => colXml(index + 1, widthOf(column)));
  return `${worksheetStart}${views}<cols>${cols.join("")}</cols><sheetData>`;
}

/** Wide enough for the title; Excel allows 255 characters. */
function widthOf({ title, kind, width = 1 }: ReportColumn): number {
  const wantedWidth = kind === "text" ? widths.text * width : widths[kind];
  return Math.min(Math.max(Math.round(wantedWidth), title.length + 3), 120);
}

const colXml = (column: number, width: number): string =>
  `<col min="${column}" max="${column}" width="${width}" customWidth="1"/>`;

function cellWriter(kind: CellKind, column: string): (row: number, cell: Cell) => string {
  const style = cellStyles[kind];
  return (row, cell) => {
    if (cell === null) return "";
    const place = `${column}${row}`;
    switch (typeof cell) {
      case "number":
        return Number.isFinite(cell) ? numberCell(place, cell, style) : textCell(place, String(cell), cellStyles.text);
      case "boolean":
        return `<c r="${place}" t="b" s="${style}"><v>${cell ? 1 : 0}</v></c>`;
      case "string":
        return kind === "date" ? dateCell(place, cell, style) : textCell(place, cell, cellStyles.text);
      default:
        return instantCell(place, cell, style);
    }
  };
}

const numberCell = (place: string, value: number, style: number): string =>
  `<c r="${place}" s="${style}"><v>${value}</v></c>`;

const textCell = (place: string, text: string, style: number): string =>
  `<c r="${place}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`;

const dateCell = (place: string, day: string, style: number): string => {
  const serial = serialOf(Date.parse(`${day}T00:00:00Z`));
  return serial === undefined ? textCell(place, day, cellStyles.text) : numberCell(place, serial, style);
};

const instantCell = (place: string, instant: Date, style: number): string => {
  const serial = serialOf(instant.getTime());
  return serial === undefined
    ? textCell(place, instant.toISOString(), cellStyles.text)
    : numberCell(place, serial, style);
};

/** An instant's serial number in UTC, or undefined where Excel has none. */
function serialOf(milliseconds: number): number | undefined {
  // a time's serial number is not exact: a tenth of a millisecond more lets readers that cut find the same one
  const shownTime = milliseconds % millisecondsPerDay === 0 ? milliseconds : milliseconds + 0.1;
  const serial = shownTime / millisecondsPerDay + epochSerial;
  return serial >= firstSerial && serial < endSerial ? serial : undefined;
}

/** A, B, …, Z, AA, … */
function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}
