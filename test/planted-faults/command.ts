import { spawn } from "node:child_process";

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly isLate: boolean;
}

/** How long a process has to end by itself after its time is over. */
const patienceMs = 20_000;

/** Runs a program with the processes that it starts, and ends them all when their time is over. */
export function ran(
  command: readonly string[],
  { folder, limitMs }: { readonly folder: string; readonly limitMs: number },
): Promise<Ended> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { cwd: folder, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const parts: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => parts.push(part));
  child.stderr.on("data", (part: Buffer) => parts.push(part));
  let isLate = false;
  const end = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // its last process has ended
    }
  };
  // a detached process group would stay when this one is told to end
  const onExit = () => end("SIGKILL");
  process.once("exit", onExit);
  const timers = [
    setTimeout(() => {
      isLate = true;
      end("SIGTERM");
    }, limitMs),
    setTimeout(() => end("SIGKILL"), limitMs + patienceMs),
  ];
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      for (const timer of timers) clearTimeout(timer);
      process.off("exit", onExit);
      resolve({ code, output: Buffer.concat(parts).toString(), isLate });
    });
  });
}

/** Runs a program that must succeed. */
export async function done(command: readonly string[], folder: string): Promise<string> {
  const { code, output } = await ran(command, { folder, limitMs: 1_800_000 });
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${output.slice(-2000)}`);
  return output;
}
