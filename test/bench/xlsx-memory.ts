import { writeXlsx } from "@factory/spine/report-formats/xlsx/xlsx";
import { auditReport, auditRows } from "./report-rows.js";

/** Writes an xlsx report of as many rows as the first argument says, and prints how its memory grows. */
const rows = Number(process.argv[2]);
const before = process.memoryUsage.rss();
const { user } = process.cpuUsage();
let bytes = 0;
for await (const piece of writeXlsx(auditReport, auditRows(rows))) bytes += piece.length;
const megabyte = 1024 * 1024;
process.stdout.write(
  JSON.stringify({
    "size MB": bytes / megabyte,
    "RSS growth MB": process.resourceUsage().maxRSS / 1024 - before / megabyte,
    "CPU ms": (process.cpuUsage().user - user) / 1000,
  }),
);
