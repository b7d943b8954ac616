import type { Block } from "./block.js";

/** A block at its place on a page. */
export interface PlacedBlock {
  readonly block: Block;
  readonly top: number;
}

/** Divides blocks into pages that begin at `start` and have this height. Rows follow, below a repeated header. */
export function paginate(
  blocks: readonly Block[],
  { header, rows }: { readonly header: Block; readonly rows: readonly Block[] },
  start: number,
  height: number,
): PlacedBlock[][] {
  const pages: PlacedBlock[][] = [];
  let page: PlacedBlock[] = [];
  let top = start;
  const open = () => {
    page = [];
    pages.push(page);
    top = start;
  };
  const place = (block: Block) => {
    page.push({ block, top });
    top += block.height;
  };
  open();
  for (const block of blocks) {
    if (top > start && top + block.height > start + height) open();
    place(block);
  }
  // a header never stands alone at the end of a page
  if (top > start && top + header.height + (rows[0]?.height ?? 0) > start + height) open();
  place(header);
  for (const row of rows) {
    if (top + row.height > start + height) {
      open();
      place(header);
    }
    place(row);
  }
  return pages;
}
