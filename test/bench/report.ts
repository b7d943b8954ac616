import type { Shot } from "./interleave.js";

/** One contestant's medians over all rounds. */
interface Row extends Shot {
  readonly name: string;
  /** The CPU per request divided by the first row's in the same round; the median over all rounds. */
  readonly ratio: number;
}

export interface Table {
  readonly title: string;
  readonly rows: readonly Row[];
  /** The highest ratio that the second row may have. */
  readonly goal: number;
  readonly met: boolean;
}

/** Figures that are not compared with another row. */
export interface Figures {
  readonly title: string;
  readonly values: Readonly<Record<string, number>>;
  /** The goal and the answer whether it was reached. */
  readonly verdict?: string;
}

export function tableOf(title: string, goal: number, shots: ReadonlyMap<string, readonly Shot[]>): Table {
  const [first = []] = shots.values();
  const rows = [...shots].map(([name, rounds]) => rowOf(name, rounds, first));
  return { title, rows, goal, met: (rows[1]?.ratio ?? Number.NaN) <= goal };
}

function rowOf(name: string, shots: readonly Shot[], first: readonly Shot[]): Row {
  const of = (member: keyof Shot) =>
    percentile(
      shots.map((shot) => shot[member]),
      0.5,
    );
  const ratios = shots.map((shot, round) => shot.cpuPerRequest / (first[round]?.cpuPerRequest ?? Number.NaN));
  return {
    name,
    ratio: percentile(ratios, 0.5),
    cpuPerRequest: of("cpuPerRequest"),
    postgresCpuPerRequest: of("postgresCpuPerRequest"),
    requestsPerSecond: of("requestsPerSecond"),
    p50Ms: of("p50Ms"),
    p99Ms: of("p99Ms"),
  };
}

export function percentile(values: readonly number[], share: number): number {
  const ascending = [...values].sort((a, b) => a - b);
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}

const columns = ["", "CPU us/request", "x bare", "PostgreSQL CPU us/request", "requests/s", "p50 ms", "p99 ms"];

export function printTable({ title, rows, goal, met }: Table): string {
  const cells = rows.map((row) => [
    row.name,
    row.cpuPerRequest.toFixed(0),
    row.ratio.toFixed(2),
    row.postgresCpuPerRequest.toFixed(0),
    row.requestsPerSecond.toFixed(0),
    row.p50Ms.toFixed(0),
    row.p99Ms.toFixed(0),
  ]);
  const result = `${rows[1]?.ratio.toFixed(2)}x, ${met ? "met" : "MISSED"}`;
  return [title, ...aligned([columns, ...cells]), `goal: at most ${goal}x; result: ${result}`, ""].join("\n");
}

export function printFigures({ title, values, verdict }: Figures): string {
  const cells = Object.entries(values).map(([name, value]) => [name, String(Math.round(value * 10) / 10)]);
  return [title, ...aligned(cells), ...(verdict === undefined ? [] : [verdict]), ""].join("\n");
}

/** A former release's figures, this release's, and their ratio (this one divided by the former). */
export function printComparison(former: Table | Figures, present: Table | Figures): string {
  const values = figuresOf(present);
  const cells = Object.entries(figuresOf(former)).map(([name, before]) => {
    const after = values[name] ?? Number.NaN;
    return [name, before.toFixed(1), after.toFixed(1), (after / before).toFixed(3)];
  });
  return [present.title, ...aligned([["", "former", "present", "ratio"], ...cells]), ""].join("\n");
}

/** Each figure's median over several results from one bench. */
export function mediansOf(results: readonly (Table | Figures)[]): Figures {
  const rounds = results.map(figuresOf);
  const medians = Object.keys(rounds[0] ?? {}).map((name) => [
    name,
    percentile(
      rounds.map((figures) => figures[name] ?? Number.NaN),
      0.5,
    ),
  ]);
  return { title: results[0]?.title ?? "", values: Object.fromEntries(medians) };
}

function figuresOf(result: Table | Figures): Readonly<Record<string, number>> {
  if ("values" in result) return result.values;
  return Object.fromEntries(
    result.rows.flatMap((row) => [
      [`${row.name}: CPU us/request`, row.cpuPerRequest],
      [`${row.name}: PostgreSQL CPU us/request`, row.postgresCpuPerRequest],
      [`${row.name}: p50 ms`, row.p50Ms],
      [`${row.name}: x bare`, row.ratio],
    ]),
  );
}

function aligned(lines: readonly (readonly string[])[]): string[] {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
}
