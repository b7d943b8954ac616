import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuditReports, type ReportFormatName } from "./audit-reports.js";

/** Writes a report from a cursor, and prints how this process's memory grows. It needs `--expose-gc`. */
const [appUrl = "", tenantId = "", format = "csv", rowsText = "0"] = process.argv.slice(2);
const rowCount = Number(rowsText);
const mebibytes = (bytes: number) => bytes / 1024 ** 2;
const highest = () => process.resourceUsage().maxRSS / 1024;

function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return mebibytes(heapUsed + external);
}

const folder = await mkdtemp(join(tmpdir(), "bench-memory-"));
const reports = new AuditReports(appUrl, tenantId, folder);
await reports.write(format as ReportFormatName, Math.min(rowCount, 1000));
const [heapBytes, resident] = [heldBytes(), mebibytes(process.memoryUsage.rss())];
const { user } = process.cpuUsage();
let atHalf = Number.NaN;
const size = await reports.write(format as ReportFormatName, rowCount, (rows) => {
  if (rows >= rowCount / 2 && Number.isNaN(atHalf)) atHalf = highest();
});
const growth = highest();
// A second one, since collecting garbage would change the first one's growth.
let heldAtEnd = Number.NaN;
await reports.write(format as ReportFormatName, rowCount, (rows) => {
  if (rows === rowCount) heldAtEnd = heldBytes();
});
await reports.close();
await rm(folder, { recursive: true });
process.stdout.write(
  JSON.stringify({
    "size, MiB": mebibytes(size),
    "CPU of both, ms": (process.cpuUsage().user - user) / 1000,
    "growth of the RSS to half of the rows, MiB": atHalf - resident,
    "growth of the RSS to the end, MiB": growth - resident,
    "growth of what is held at the last row, MiB": heldAtEnd - heapBytes,
  }),
);
