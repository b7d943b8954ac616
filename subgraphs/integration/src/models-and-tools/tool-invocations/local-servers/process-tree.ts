import { readdir, readFile } from "node:fs/promises";

const pageBytes = 4_096;
const maxProcesses = 256;

/** A process as it was found. The time of its start tells it from a later process with the same id. */
export interface FoundProcess {
  readonly pid: number;
  readonly started: string;
  readonly residentBytes: number;
}

/**
 * These processes, as far as they still run, and all that they have started, also in groups and sessions of their own.
 * Empty where the system does not tell it (/proc).
 */
export async function processTree(
  roots: readonly { readonly pid: number; readonly started?: string }[],
): Promise<FoundProcess[]> {
  const found = new Map<number, FoundProcess>();
  const open = [...roots];
  for (let next = open.pop(); next !== undefined && found.size < maxProcesses; next = open.pop()) {
    const known = found.has(next.pid) ? undefined : await processOf(next.pid);
    if (!known || (next.started !== undefined && next.started !== known.started)) continue;
    found.set(known.pid, known);
    open.push(...(await childrenOf(known.pid)));
  }
  return [...found.values()];
}

/** The name of a program may have spaces and brackets, so the fields are counted from its end. */
async function processOf(pid: number): Promise<FoundProcess | undefined> {
  const text = await read(`/proc/${pid}/stat`);
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [started, pages] = [fields[19], fields[21]];
  return started === undefined ? undefined : { pid, started, residentBytes: Number(pages) * pageBytes };
}

/** Each thread of a process has children of its own. */
async function childrenOf(pid: number): Promise<{ pid: number }[]> {
  const children: { pid: number }[] = [];
  for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
    const ids = (await read(`/proc/${pid}/task/${thread}/children`)).split(" ").filter((text) => text.trim() !== "");
    children.push(...ids.map((id) => ({ pid: Number(id) })));
  }
  return children;
}

const read = (file: string) => readFile(file, "utf8").catch(() => "");
