import { execFile } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { writeCsv } from "@factory/spine/report-formats/csv";
import type { Cell } from "@factory/spine/report-formats/report/report";
import { stringify } from "csv-stringify";
import { type Figures, percentile } from "./report.js";
import { auditReport, auditRows } from "./report-rows.js";

const rowCount = 100_000;
const goal = 1.5;
const goalMb = 100;

/** The CPU time that a csv report and csv-stringify alone use over the same rows, in turns. */
export async function csvReport(rounds: number): Promise<Figures> {
  const timesMs: Record<"alone" | "report", number[]> = { alone: [], report: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const [alone, report] = [await cpuMs(stringifyAlone), await cpuMs(writeReport)];
    // the first round compiles
    if (round === 0) continue;
    timesMs.alone.push(alone);
    timesMs.report.push(report);
  }
  const ratio = percentile(
    timesMs.report.map((ms, round) => ms / (timesMs.alone[round] ?? Number.NaN)),
    0.5,
  );
  return {
    title: `A csv report of ${rowCount} rows`,
    values: {
      "csv-stringify alone: CPU ms": percentile(timesMs.alone, 0.5),
      "report: CPU ms": percentile(timesMs.report, 0.5),
    },
    verdict: `goal: at most ${goal}x; result: ${ratio.toFixed(2)}x, ${ratio <= goal ? "met" : "MISSED"}`,
  };
}

async function cpuMs(write: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage();
  const bytes = await write();
  if (bytes < rowCount * 100) throw new Error(`Only ${bytes} bytes were written`);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function writeReport(): Promise<number> {
  let bytes = 0;
  for await (const piece of writeCsv(auditReport, auditRows(rowCount))) bytes += piece.length;
  return bytes;
}

async function stringifyAlone(): Promise<number> {
  let bytes = 0;
  const stringifier = stringify({ cast: { date: (date: Date) => date.toISOString() } });
  stringifier.on("data", (piece: Buffer) => {
    bytes += piece.length;
  });
  const end = once(stringifier, "end");
  for await (const batch of auditRows(rowCount))
    for (const row of batch as Cell[][]) if (!stringifier.write(row)) await once(stringifier, "drain");
  stringifier.end();
  await end;
  return bytes;
}

/** The memory that an xlsx report takes, in a separate process. */
export async function xlsxReport(): Promise<Figures> {
  const program = fileURLToPath(new URL("./xlsx-memory.js", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", program, String(rowCount)]);
  const values = JSON.parse(stdout) as Record<string, number>;
  const growth = values["RSS growth MB"] ?? Number.NaN;
  return {
    title: `An xlsx report of ${rowCount} rows`,
    values,
    verdict: `goal: at most ${goalMb} MB; ${growth <= goalMb ? "met" : "MISSED"}`,
  };
}
