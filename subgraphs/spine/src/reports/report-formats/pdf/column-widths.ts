/** The facts that decide about the width of a column, in points. */
export interface ColumnDemand {
  /** The width of its widest cell, with padding. */
  readonly natural: number;
  /** A column that may wrap has a weight; one with numbers or times has none and keeps its natural width. */
  readonly weight?: number;
}

const minTextWidth = 60;
const easyTextWidth = 170;

/** The width of columns in which few texts wrap. */
export const easyWidth = (columns: readonly ColumnDemand[]): number => widthWith(columns, easyTextWidth);

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
  const left = available - widths.reduce((sum, width) => sum + width, 0);
  for (const { index, weight } of growing) widths[index] = (widths[index] ?? 0) + (left * weight) / sumOf(growing);
  return widths;
}

const sumOf = (columns: readonly { readonly weight: number }[]): number =>
  columns.reduce((sum, { weight }) => sum + weight, 0);
