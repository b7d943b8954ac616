import { readdir, readFile } from "node:fs/promises";

/** USER_HZ, the unit for times in /proc. It is 100 on every Linux architecture. */
const ticksPerSecond = 100;
const microsecondsPerTick = 1_000_000 / ticksPerSecond;

interface ProcessTimes {
  readonly parent: number;
  /** User and system time, in microseconds. */
  readonly own: number;
  /** User and system time that ended child processes have used, in microseconds. */
  readonly ended: number;
}

/**
 * Reads /proc/PID/stat (proc(5)). The command name may contain spaces and parentheses, so fields are counted after the
 * last parenthesis.
 */
async function processTimes(pid: number): Promise<ProcessTimes | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) * microsecondsPerTick;
  return { parent: Number(fields[1]), own: ticks(11), ended: ticks(13) };
}

/** CPU microseconds that this process has used, all its threads together. */
export async function cpuOf(pid: number): Promise<number> {
  const times = await processTimes(pid);
  if (!times) throw new Error(`There is no process ${pid}: CPU time is read from /proc, on Linux`);
  return times.own;
}

/** CPU microseconds that a process and its children have used, e.g. a PostgreSQL server and its backends. */
export async function cpuOfFamily(pid: number): Promise<number> {
  const processTicks = await processTimes(pid);
  if (!processTicks) throw new Error(`There is no process ${pid}`);
  const others = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const times = await Promise.all(others.map((name) => processTimes(Number(name))));
  return times
    .filter((candidate) => candidate?.parent === pid)
    .reduce((sum, child) => sum + (child?.own ?? 0), processTicks.own + processTicks.ended);
}
