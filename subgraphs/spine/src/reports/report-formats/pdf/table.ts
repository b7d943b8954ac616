import { setImmediate } from "node:timers/promises";
import type { Report, ReportColumn, ReportRows } from "../report/report.js";
import { TooManyRowsError } from "../report/too-many-rows.js";
import { type Block, drawRule, drawText } from "./block.js";
import { cellText } from "./cell-text.js";
import type { Faces } from "./faces.js";
import { colors, sizes } from "./look.js";
import { readableText } from "./readable-text.js";
import { type TextStyle, wrapText } from "./wrap-text.js";

/** The most rows in a pdf: about 250 pages. */
export const maxPdfRows = 10_000;

/** Rows that are measured or wrapped before the process's other work has its turn. */
const rowsPerSlice = 25;
const maxLines = 3;
const lineHeight = sizes.cell * sizes.line;

/** A report's rows as texts, and the width that each column wants. */
export interface TableTexts {
  readonly columns: readonly ReportColumn[];
  readonly rows: readonly (readonly string[])[];
  readonly demands: readonly ColumnDemand[];
}

/** Reads all rows as the texts that are shown, so that long cells in the source need not stay in memory. */
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
      const leftEdge = places[0]?.x ?? 0;
      const width = places.reduce((sum, place) => sum + place.width, 0);
      if (ground) canvas.rect(leftEdge, top, width, height).fill(ground);
      drawRule(canvas, { x: leftEdge, y: top + height, width, color: rule });
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

/** The facts that decide about a column's width, in points. */
interface ColumnDemand {
  /** The width of its widest cell, with padding. */
  readonly natural: number;
  /** A column that may wrap has a weight; one with numbers or times has none and keeps its natural width. */
  readonly weight?: number;
}

const minTextWidth = 60;
const easyTextWidth = 170;

/** The width for columns in which few texts wrap. */
const easyWidth = (columns: readonly ColumnDemand[]): number => widthWith(columns, easyTextWidth);

const widthWith = (columns: readonly ColumnDemand[], textWidth: number): number =>
  columns.reduce((sum, column) => sum + widthOf(column, textWidth), 0);

const widthOf = ({ natural, weight }: ColumnDemand, textWidth: number): number =>
  weight === undefined ? natural : Math.min(natural, textWidth * weight);

/**
 * Widths that fill the page. Text columns that need less than their share keep their natural width, and the others
 * divide the rest by weight. Where the space is not enough for the other columns all become narrower.
 */
export function columnWidths(columns: readonly ColumnDemand[], available: number): number[] {
  const least = widthWith(columns, minTextWidth);
  if (least >= available) return columns.map((column) => (widthOf(column, minTextWidth) * available) / least);
  const widths = columns.map(({ natural }) => natural);
  let open = columns.flatMap(({ weight }, index) => (weight === undefined ? [] : [{ index, weight }]));
  const texts = open;
  let space = available - columns.reduce((sum, { natural, weight }) => sum + (weight === undefined ? natural : 0), 0);
  while (open.length > 0) {
    const share = space / sumOf(open);
    const wider = open.filter(({ index, weight }) => (widths[index] ?? 0) > share * weight);
    if (wider.length === open.length) {
      for (const { index, weight } of open) widths[index] = share * weight;
      return widths;
    }
    space -= open.filter((column) => !wider.includes(column)).reduce((sum, { index }) => sum + (widths[index] ?? 0), 0);
    open = wider;
  }
  // every column has its natural width: the space that is left makes columns wider
  const growing = texts.length > 0 ? texts : columns.map((_, index) => ({ index, weight: 1 }));
  const freeWidth = available - widths.reduce((sum, width) => sum + width, 0);
  for (const { index, weight } of growing) widths[index] = (widths[index] ?? 0) + (freeWidth * weight) / sumOf(growing);
  return widths;
}

const sumOf = (columns: readonly { readonly weight: number }[]): number =>
  columns.reduce((sum, { weight }) => sum + weight, 0);
