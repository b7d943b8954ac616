import { readFile } from "node:fs/promises";

const pageBytes = 4_096;
const maxProcesses = 64;

/** The resident memory of a process and of those that it has started. 0 where the system does not tell it (/proc). */
export async function residentBytes(pid: number): Promise<number> {
  let total = 0;
  const open = [pid];
  for (let seen = 0; open.length > 0 && seen < maxProcesses; seen += 1) {
    const next = open.pop();
    const [, resident = "0"] = (await read(`/proc/${next}/statm`)).split(" ");
    total += Number(resident) * pageBytes;
    const children = await read(`/proc/${next}/task/${next}/children`);
    open.push(
      ...children
        .split(" ")
        .filter((text) => text.trim() !== "")
        .map(Number),
    );
  }
  return total;
}

const read = (file: string) => readFile(file, "utf8").catch(() => "");
