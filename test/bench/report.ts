import type { Shot } from "./interleave.js";

export interface Table {
  readonly title: string;
  /** The first row is what the others are measured against. */
  readonly rows: readonly (Shot & { readonly name: string })[];
  readonly goal: number;
  readonly ratio: number;
}

/** Figures that have a bound of their own instead of a row to compare with. */
export interface Figures {
  readonly title: string;
  readonly values: Readonly<Record<string, number>>;
}

export function tableOf(title: string, goal: number, shots: ReadonlyMap<string, Shot>): Table {
  const rows = [...shots].map(([name, shot]) => ({ name, ...shot }));
  const [bare, measured] = rows;
  const ratio = (measured?.cpuPerRequest ?? Number.NaN) / (bare?.cpuPerRequest ?? Number.NaN);
  return { title, rows, goal, ratio };
}

const columns = ["", "CPU us/request", "x bare", "PostgreSQL CPU us/request", "requests/s", "p50 ms", "p99 ms"];

export function printTable({ title, rows, goal, ratio }: Table): string {
  const bare = rows[0]?.cpuPerRequest ?? Number.NaN;
  const cells = rows.map((row) => [
    row.name,
    row.cpuPerRequest.toFixed(0),
    (row.cpuPerRequest / bare).toFixed(2),
    row.postgresCpuPerRequest.toFixed(0),
    row.requestsPerSecond.toFixed(0),
    row.p50Ms.toFixed(0),
    row.p99Ms.toFixed(0),
  ]);
  const verdict = ratio <= goal ? "met" : "MISSED";
  return [
    title,
    ...aligned([columns, ...cells]),
    `goal: at most ${goal.toFixed(1)}x - ${ratio.toFixed(2)}x, ${verdict}`,
    "",
  ].join("\n");
}

export function printFigures({ title, values }: Figures): string {
  const cells = Object.entries(values).map(([name, value]) => [name, String(Math.round(value * 10) / 10)]);
  return [title, ...aligned(cells), ""].join("\n");
}

function aligned(lines: readonly (readonly string[])[]): string[] {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
}
