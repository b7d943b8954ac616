import { readdir, readFile } from "node:fs/promises";

const pageBytes = 4_096;
const maxProcesses = 256;

/** A process as it was found. Its start time tells it from a later process with the same id. */
export interface FoundProcess {
  readonly pid: number;
  readonly started: string;
  readonly residentBytes: number;
}

/**
 * These processes, as far as they still run, and all that they have started, also in their own groups and sessions.
 * Empty where the system does not tell it (/proc).
 */
export async function processTree(
  roots: readonly { readonly pid: number; readonly started?: string }[],
): Promise<FoundProcess[]> {
  const processes = new Map<number, FoundProcess>();
  const open = [...roots];
  for (let next = open.pop(); next !== undefined && processes.size < maxProcesses; next = open.pop()) {
    const newProcess = processes.has(next.pid) ? undefined : await processOf(next.pid);
    if (!newProcess || (next.started !== undefined && next.started !== newProcess.started)) continue;
    processes.set(newProcess.pid, newProcess);
    open.push(...(await childrenOf(newProcess.pid)));
  }
  return [...processes.values()];
}

/** A program's name may have spaces and brackets, so the fields are counted from its end. */
async function processOf(pid: number): Promise<FoundProcess | undefined> {
  const text = await readText(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [startTime, pages] = [fields[19], fields[21]];
  return startTime === undefined ? undefined : { pid, started: startTime, residentBytes: Number(pages) * pageBytes };
}

/** Each thread in a process has its own children. */
async function childrenOf(pid: number): Promise<{ pid: number }[]> {
  const children: { pid: number }[] = [];
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    const ids = (await readText(`/proc/${pid}/task/${thread}/children`))
      .split(" ")
      .filter((text) => text.trim() !== "");
    children.push(...ids.map((id) => ({ pid: Number(id) })));
  }
  return children;
}

const readText = (file: string) => readFile(file, "utf8").catch(() => "");
