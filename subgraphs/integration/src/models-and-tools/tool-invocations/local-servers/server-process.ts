import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { childEnvironment } from "@factory/runtime/jobs/child-processes/environment";
import { type FoundProcess, processTree } from "./process-tree.js";

/** The limits for a tool server's program. */
export interface ProcessLimits {
  readonly maxMemoryBytes: number;
}

const memoryIntervalMs = 250;
const graceMs = 1_000;

/**
 * No core file, 300 s of processor time and 256 open files for each process. They hold even when nobody watches. The
 * arguments come behind the script, so the shell does not read them.
 */
const limitedShell = ["/bin/sh", "-c", 'ulimit -c 0; ulimit -t 300; ulimit -n 256; exec "$@"', "sh"];

/**
 * A tool server's program: its own process group with a minimal environment, in the folder `/`. It ends with its
 * session, with this process, and when it uses too much memory. The processes that it has started end with it, also
 * those that left the group, unless this process dies or they began and lost their parents between two looks.
 */
export class ServerProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** Resolves when the program has ended, with whether it had used too much memory. */
  readonly ended: Promise<{ readonly tooMuchMemory: boolean }>;
  /** The processes in the newest look. Those that left the group are known also when their parents have ended. */
  #found: readonly FoundProcess[] = [];
  #isLooking = false;
  #tooMuchMemory = false;
  #isOver = false;

  /** `environment` is added to the minimal one. Throws when the program does not start; then no process is left. */
  constructor(argv: readonly string[], { maxMemoryBytes }: ProcessLimits, environment: Record<string, string> = {}) {
    const [shell = "", ...before] = limitedShell;
    this.child = spawn(shell, [...before, ...argv], {
      cwd: "/",
      env: { ...environment, ...childEnvironment() },
      stdio: ["pipe", "pipe", "ignore"],
      // Its own group, so that programs which it has started end with it.
      detached: true,
    });
    // Too many open files or processes: the error comes later, and the child may have no input.
    this.child.on("error", () => undefined);
    if (this.child.pid === undefined) throw new Error("The program of a tool server did not start");
    this.child.stdin.on("error", () => undefined);
    const watch = this.#watched(this.child.pid);
    const timer = setInterval(() => void this.#checkMemory(maxMemoryBytes), memoryIntervalMs);
    timer.unref();
    this.ended = new Promise((resolve) => {
      const over = () => {
        this.#isOver = true;
        clearInterval(timer);
        watch.dismiss();
        resolve({ tooMuchMemory: this.#tooMuchMemory });
      };
      // Others could keep the output open, whose last lines come before "close".
      this.child.once("exit", () => {
        this.#signal("SIGKILL");
        this.kill();
        setTimeout(() => this.child.stdout.destroy(), graceMs).unref();
      });
      this.child.once("close", over).once("error", over);
    });
  }

  /** Asks the program to end, and kills its group after a second. */
  stop(): void {
    if (this.#isOver) return;
    void this.#look().then(() => {
      this.child.stdin.end();
      if (!this.#isOver) this.#signal("SIGTERM");
    });
    const timer = setTimeout(() => this.kill(), graceMs);
    void this.ended.then(() => clearTimeout(timer));
  }

  /** Kills the program and all that it has started. */
  kill(): void {
    void this.#look().then((processes) => {
      this.#signal("SIGKILL");
      for (const { pid } of processes) signal(pid, "SIGKILL");
    });
  }

  async #look(): Promise<readonly FoundProcess[]> {
    const { pid, exitCode, signalCode } = this.child;
    const ownProcesses = pid === undefined || exitCode !== null || signalCode !== null ? [] : [{ pid }];
    this.#found = await processTree([...ownProcesses, ...this.#found]);
    return this.#found;
  }

  /** A program that nobody watches must not run. */
  #watched(pid: number): OwnerWatch {
    try {
      return watchOwner(pid);
    } catch (error) {
      this.kill();
      throw error;
    }
  }

  async #checkMemory(maxMemoryBytes: number): Promise<void> {
    if (this.#isOver || this.#isLooking) return;
    this.#isLooking = true;
    const usedBytes = (await this.#look()).reduce((sum, { residentBytes }) => sum + residentBytes, 0);
    this.#isLooking = false;
    if (this.#isOver || usedBytes <= maxMemoryBytes) return;
    this.#tooMuchMemory = true;
    this.kill();
  }

  /** Signals the group. When a program has ended, its group may still have members. */
  #signal(name: "SIGTERM" | "SIGKILL"): void {
    const { pid } = this.child;
    if (pid !== undefined) signal(-pid, name);
  }
}

function signal(target: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(target, name);
  } catch {
    // the process, or each one in the group, has ended
  }
}

interface OwnerWatch {
  dismiss(): void;
}

// The pipe closes when this process dies, also by SIGKILL. A line on the pipe ends the watch without a signal.
const script = 'read -r _ && exit 0; kill -9 "-$1"';

/** Starts a process that kills the process group when this process dies without doing so. Throws when it does not start. */
function watchOwner(group: number): OwnerWatch {
  const watch = spawn("/bin/sh", ["-c", script, "sh", String(group)], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watch.on("error", () => undefined);
  // Without a place for pipes there is not even an input.
  if (watch.pid === undefined) throw new Error("The watch of a program did not start");
  watch.stdin.on("error", () => undefined);
  watch.unref();
  return { dismiss: () => watch.stdin.end("done\n") };
}
