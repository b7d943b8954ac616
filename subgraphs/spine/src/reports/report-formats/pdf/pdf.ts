import { setImmediate } from "node:timers/promises";
import PDFDocument from "pdfkit";
import type { Report, ReportRows } from "../report/report.js";
import { type Canvas, drawRule, drawText, registerFaces } from "./block.js";
import { chartBlock } from "./chart.js";
import { type Faces, loadFaces } from "./faces.js";
import { colors, sizes } from "./look.js";
import { type PlacedBlock, paginate } from "./pages.js";
import { readableText } from "./readable-text.js";
import { needsMoreThan, readTable, type TableTexts, tableBlocks } from "./table.js";
import { emptyBlock, noteBlock, titleBlock } from "./title-block.js";
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
 * many there are, and other work of the process has its turn after every page.
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
