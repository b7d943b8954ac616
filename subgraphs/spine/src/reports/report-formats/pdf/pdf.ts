import { setImmediate } from "node:timers/promises";
import PDFDocument from "pdfkit";
import type { Report, ReportRows } from "../report/report.js";
import { type Block, type Canvas, drawRule, drawText, registerFaces } from "./block.js";
import { numberText } from "./cell-text.js";
import { chartBlock } from "./chart.js";
import { type Faces, loadFaces } from "./faces.js";
import { colors, sizes } from "./look.js";
import { type PlacedBlock, paginate } from "./pages.js";
import { readableText } from "./readable-text.js";
import { needsMoreThan, readTable, type TableTexts, tableBlocks } from "./table.js";
import { wrapText } from "./wrap-text.js";

/** A4 in points. */
const shortSide = 595.28;
const longSide = 841.89;

interface PageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * A pdf in A4: title, notes and charts, then the table. It is laid out before it is drawn, since each page states how
 * many there are, and the process's other work has its turn after every page.
 */
export async function* writePdf(report: Report, rows: ReportRows): AsyncGenerator<Buffer> {
  const faces = await loadFaces();
  const table = await readTable(report, rows, faces);
  const size = pageSize(table);
  const pages = await layOut(report, table, faces, size);
  const canvas = openDocument(report, size);
  registerFaces(canvas, [faces.regular, faces.bold]);
  for (const [index, blocks] of pages.entries()) {
    canvas.addPage();
    for (const { block, top } of blocks) block.draw(canvas, top);
    drawFooter(canvas, report, faces, size, `Page ${index + 1} of ${pages.length}`);
    yield* written(canvas);
    await setImmediate();
  }
  canvas.end();
  yield* written(canvas);
}

function* written(canvas: Canvas): Generator<Buffer> {
  const bytes: unknown = canvas.read();
  if (bytes !== null) yield bytes as Buffer;
}

/** Portrait, or landscape when the columns need more width. */
function pageSize(table: TableTexts): PageSize {
  return needsMoreThan(table, shortSide - 2 * sizes.margin)
    ? { width: longSide, height: shortSide }
    : { width: shortSide, height: longSide };
}

async function layOut(report: Report, table: TableTexts, faces: Faces, size: PageSize): Promise<PlacedBlock[][]> {
  const width = size.width - 2 * sizes.margin;
  const blocks = [
    titleBlock(report, table.rows.length, faces, width),
    ...(report.notes ?? []).map((note) => noteBlock(note, faces, width)),
    ...(report.charts ?? []).map((chart) => chartBlock(chart, faces, width)),
  ];
  const { header, rows } = await tableBlocks(table, faces, width);
  return paginate(
    blocks,
    { header, rows: rows.length > 0 ? rows : [emptyBlock(faces)] },
    sizes.margin,
    size.height - 2 * sizes.margin - sizes.footer,
  );
}

/** The date and the information make the file id, so both come from the report alone. */
function openDocument(report: Report, { width, height }: PageSize): Canvas {
  const parameters = Object.entries(report.parameters).map(([name, value]) => `${name} ${value}`);
  return new PDFDocument({
    size: [width, height],
    margin: 0,
    autoFirstPage: false,
    lang: "en",
    displayTitle: true,
    info: {
      Title: report.title,
      Subject: parameters.join(", "),
      Producer: "factory platform",
      Creator: "factory platform",
      CreationDate: report.asOf,
    },
  });
}

function drawFooter(canvas: Canvas, report: Report, { regular }: Faces, size: PageSize, page: string): void {
  const style = { face: regular, size: sizes.small, color: colors.quiet };
  const top = size.height - sizes.margin - 8;
  const width = size.width - 2 * sizes.margin;
  const text = `${report.title}. Times are in UTC.`;
  drawRule(canvas, { x: sizes.margin, y: top - 6, width, color: colors.rule });
  drawText(canvas, wrapText(readableText(text, regular), style, width * 0.7, 1)[0] ?? "", style, sizes.margin, top);
  drawText(canvas, page, style, size.width - sizes.margin - regular.widthOf(page, sizes.small), top);
}

const gap = 14;

/** The title, the parameters with the row count, and a rule below them. */
function titleBlock(report: Report, rowCount: number, { regular, bold }: Faces, width: number): Block {
  const title = { face: bold, size: sizes.title, color: colors.text };
  const label = { face: regular, size: sizes.text, color: colors.quiet };
  const value = { face: bold, size: sizes.text, color: colors.text };
  const lines = wrapText(readableText(report.title, bold), title, width, 2);
  const facts = [...Object.entries(report.parameters), ["rows", numberText(rowCount)]].map(
    ([name = "", text = ""]) => ({
      name: readableText(name, regular),
      text: wrapText(readableText(text, bold), value, width / 2, 1)[0] ?? "",
    }),
  );
  const titleHeight = lines.length * sizes.title * sizes.line;
  const factHeight = sizes.text * sizes.line;
  const places = flow(
    facts.map(({ name, text }) => regular.widthOf(`${name} `, sizes.text) + bold.widthOf(text, sizes.text)),
    width,
  );
  const factLines = (places.at(-1)?.line ?? 0) + 1;
  const height = titleHeight + factLines * factHeight + 8;
  return {
    height: height + gap,
    draw(canvas, top) {
      for (const [index, line] of lines.entries())
        drawText(canvas, line, title, sizes.margin, top + index * sizes.title * sizes.line);
      for (const [index, { name, text }] of facts.entries()) {
        const { x = 0, line = 0 } = places[index] ?? {};
        const y = top + titleHeight + 2 + line * factHeight;
        drawText(canvas, name, label, sizes.margin + x, y);
        drawText(canvas, text, value, sizes.margin + x + regular.widthOf(`${name} `, sizes.text), y);
      }
      drawRule(canvas, { x: sizes.margin, y: top + height, width, color: colors.accent, thickness: 1.2 });
    },
  };
}

/** Places for parts with these widths, one after the other, in as many lines as they need. */
function flow(widths: readonly number[], available: number): { readonly x: number; readonly line: number }[] {
  let x = 0;
  let line = 0;
  return widths.map((width) => {
    if (x > 0 && x + width > available) {
      x = 0;
      line += 1;
    }
    const place = { x, line };
    x += width + gap;
    return place;
  });
}

/** A sentence for the reader, on a colored ground. */
function noteBlock(note: string, { regular }: Faces, width: number): Block {
  const style = { face: regular, size: sizes.text, color: colors.note };
  const padding = 7;
  const lineHeight = sizes.text * sizes.line;
  const lines = wrapText(readableText(note, regular), style, width - 2 * padding, 4);
  const height = lines.length * lineHeight + padding;
  return {
    height: height + 10,
    draw(canvas, top) {
      canvas.rect(sizes.margin, top, width, height).fill(colors.noteGround);
      canvas.rect(sizes.margin, top, 2.5, height).fill(colors.note);
      for (const [index, line] of lines.entries())
        drawText(canvas, line, style, sizes.margin + padding + 2, top + padding / 2 + 0.8 + index * lineHeight);
    },
  };
}

/** A sentence in place of an empty table's rows. */
function emptyBlock({ regular }: Faces): Block {
  const style = { face: regular, size: sizes.text, color: colors.quiet };
  return {
    height: 24,
    draw: (canvas, top) =>
      drawText(canvas, "The period has no rows.", style, sizes.margin + sizes.cellPadding, top + 8),
  };
}
