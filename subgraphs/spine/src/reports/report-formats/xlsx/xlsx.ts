import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";
import type { Report, ReportRows } from "../report/report.js";
import { pairsXml, sheetXml } from "./sheet.js";
import { workbookParts } from "./workbook-parts.js";

const zipOptions = {
  // yazl writes the local time, so this local time is the same in every time zone
  mtime: new Date(2000, 0, 1, 12),
  mode: 0o100644,
  forceDosTimestamp: true,
  // half the CPU that level 6 takes for an eighth more bytes
  compressionLevel: 3,
};

/** An xlsx workbook: the rows as one sheet, and a second sheet with the title, the parameters and the notes. */
export async function* writeXlsx(report: Report, rows: ReportRows): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const sheet = Readable.from(sheetXml(report.columns, rows), { objectMode: false });
  sheet.on("error", (error) => output.destroy(error));
  zip.on("error", (error: Error) => output.destroy(error));
  for (const [path, xml] of workbookParts(report.title)) zip.addBuffer(Buffer.from(xml), path, zipOptions);
  zip.addBuffer(Buffer.from(pairsXml(aboutPairs(report))), "xl/worksheets/sheet2.xml", zipOptions);
  zip.addReadStream(sheet, "xl/worksheets/sheet1.xml", zipOptions);
  zip.end();
  try {
    for await (const bytes of output) yield bytes as Buffer;
  } finally {
    sheet.destroy();
    // the rows are closed when this returns
    await finished(sheet).catch(() => undefined);
  }
}

const aboutPairs = ({ title, parameters, notes = [] }: Report): [string, string][] => [
  ["Report", title],
  ...Object.entries(parameters),
  ...notes.map((note): [string, string] => ["Note", note]),
];
