import { setImmediate } from "node:timers/promises";
import type { Report, ReportColumn, ReportRows } from "../report/report.js";
import { TooManyRowsError } from "../report/too-many-rows.js";
import { type Block, drawRule, drawText } from "./block.js";
import { cellText } from "./cell-text.js";
import { type ColumnDemand, columnWidths, easyWidth } from "./column-widths.js";
import type { Faces } from "./faces.js";
import { colors, sizes } from "./look.js";
import { readableText } from "./readable-text.js";
import { type TextStyle, wrapText } from "./wrap-text.js";

/** The most rows of a pdf: about 250 pages. */
export const maxPdfRows = 10_000;

/** Rows that are measured or wrapped before other work of the process has its turn. */
const rowsPerSlice = 25;
const maxLines = 3;
const lineHeight = sizes.cell * sizes.line;

/** The rows of a report as texts, and the width that each column wants. */
export interface TableTexts {
  readonly columns: readonly ReportColumn[];
  readonly rows: readonly (readonly string[])[];
  readonly demands: readonly ColumnDemand[];
}

/** Reads all rows as the texts that are shown, so that long cells of the source need not stay in memory. */
export async function readTable(report: Report, source: ReportRows, { regular, bold }: Faces): Promise<TableTexts> {
  const { columns } = report;
  const natural = columns.map(({ title }) => bold.widthOf(readableText(title, bold), sizes.cell));
  const rows: string[][] = [];
  for await (const batch of source) {
    if (rows.length + batch.length > maxPdfRows) throw new TooManyRowsError("A pdf", maxPdfRows);
    for (const cells of batch) {
      const row = columns.map(({ kind }, index) => readableText(cellText(cells[index] ?? null, kind), regular));
      for (const [index, text] of row.entries())
        natural[index] = Math.max(natural[index] ?? 0, regular.widthOf(text, sizes.cell));
      if (rows.push(row) % rowsPerSlice === 0) await setImmediate();
    }
  }
  const demands = columns.map(({ kind, width = 1 }, index) => ({
    natural: (natural[index] ?? 0) + 2 * sizes.cellPadding,
    ...(kind === "text" ? { weight: width } : {}),
  }));
  return { columns, rows, demands };
}

/** True if many texts would wrap in this width. */
export const needsMoreThan = ({ demands }: TableTexts, width: number): boolean => easyWidth(demands) > width;

/** The header, which every page repeats, and one block per row. */
export async function tableBlocks(table: TableTexts, { regular, bold }: Faces, width: number) {
  const places = placesOf(table, width);
  const wrap = (texts: readonly string[], style: TextStyle): string[][] =>
    texts.map((text, index) => wrapText(text, style, (places[index]?.width ?? 0) - 2 * sizes.cellPadding, maxLines));
  const head = { face: bold, size: sizes.cell, color: colors.accent };
  const body = { face: regular, size: sizes.cell, color: colors.text };
  const titles = table.columns.map(({ title }) => readableText(title, bold));
  const header = rowBlock(wrap(titles, head), places, head, { ground: colors.headerGround, rule: colors.accent });
  const rows: Block[] = [];
  for (const texts of table.rows) {
    const ground = rows.length % 2 === 1 ? colors.band : undefined;
    rows.push(rowBlock(wrap(texts, body), places, body, { ground, rule: colors.faintRule }));
    if (rows.length % rowsPerSlice === 0) await setImmediate();
  }
  return { header, rows };
}

interface Place {
  readonly x: number;
  readonly width: number;
  readonly right: boolean;
}

function placesOf({ columns, demands }: TableTexts, available: number): Place[] {
  let x: number = sizes.margin;
  return columnWidths(demands, available).map((width, index) => {
    const kind = columns[index]?.kind;
    const place = { x, width, right: kind === "integer" || kind === "decimal" };
    x += width;
    return place;
  });
}

function rowBlock(
  cells: readonly (readonly string[])[],
  places: readonly Place[],
  style: TextStyle & { readonly color: string },
  { ground, rule }: { readonly ground: string | undefined; readonly rule: string },
): Block {
  const lines = cells.reduce((most, { length }) => Math.max(most, length), 1);
  const height = lines * lineHeight + 2 * sizes.rowPadding;
  return {
    height,
    draw(canvas, top) {
      const left = places[0]?.x ?? 0;
      const width = places.reduce((sum, place) => sum + place.width, 0);
      if (ground) canvas.rect(left, top, width, height).fill(ground);
      drawRule(canvas, { x: left, y: top + height, width, color: rule });
      for (const [index, { x, width, right }] of places.entries()) {
        for (const [line, text] of (cells[index] ?? []).entries()) {
          if (text === "") continue;
          const indent = right ? width - sizes.cellPadding - style.face.widthOf(text, style.size) : sizes.cellPadding;
          drawText(canvas, text, style, x + indent, top + sizes.rowPadding + 0.8 + line * lineHeight);
        }
      }
    },
  };
}
