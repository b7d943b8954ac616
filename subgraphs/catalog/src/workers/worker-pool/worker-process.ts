import { type ChildProcess, fork } from "node:child_process";
import { ByteReader, sendWithBytes } from "./byte-pieces.js";
import type { WorkerAnswer, WorkerRequest } from "./worker-message.js";

/**
 * Memory is in MiB, the stack in KiB: as large as in a worker thread, since templates nest. Without the last option V8
 * optimizes some short regular expressions for minutes, and an optimization cannot be interrupted.
 */
const v8Options = [
  "--max-old-space-size=512",
  "--max-semi-space-size=32",
  "--stack-size=3900",
  "--no-regexp-optimization",
];

/** The signals with which V8 ends a process without memory or stack. */
const memorySignals = new Set<NodeJS.Signals | null>(["SIGABRT", "SIGTRAP", "SIGILL", "SIGSEGV", "SIGBUS"]);

const maxErrorCharacters = 2000;

export interface ProcessAnswer {
  readonly answer: WorkerAnswer;
  readonly bytes: Uint8Array | undefined;
}

interface ProcessEvents {
  readonly ready: () => void;
  readonly answered: (answer: ProcessAnswer) => void;
  /** The process ended by itself. */
  readonly ended: (why: "memory" | Error) => void;
}

/**
 * One worker process. It is not a thread, since V8 ends the whole process when an allocation in a worker thread fails.
 */
export class WorkerProcess {
  readonly #process: ChildProcess;
  readonly #gone: Promise<void>;

  constructor(entry: URL, events: ProcessEvents) {
    // Foreign code must not see the environment.
    const child = fork(entry, [], {
      serialization: "advanced",
      env: {},
      execArgv: [...v8Options, "--no-warnings"],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#process = child;
    let errorOutput = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      if (errorOutput.length < maxErrorCharacters) errorOutput += chunk.toString("latin1");
    });
    const answers = new ByteReader<WorkerAnswer>();
    child.on("message", (message) => {
      if (message === "ready") return events.ready();
      const answer = answers.take(message);
      if (answer) events.answered({ answer: answer.message, bytes: answer.bytes });
    });
    this.#gone = new Promise((resolve) => {
      const end = (why: "memory" | Error) => {
        resolve();
        events.ended(why);
      };
      child.on("error", end);
      child.on("exit", (code, signal) => {
        if (memorySignals.has(signal)) return end("memory");
        const words = errorOutput.slice(0, maxErrorCharacters);
        end(new Error(`A worker process ended by itself (${signal ?? code}). ${words}`.trim()));
      });
    });
  }

  /** Sends a request. Throws when it cannot be sent. The events report the answer and the end of the process. */
  send(request: WorkerRequest, bytes: Uint8Array | undefined): Promise<void> {
    return sendWithBytes(this.#process, request, bytes);
  }

  /** Sets whether the worker keeps this process alive. */
  hold(isHeld: boolean): void {
    const parts = [this.#process, this.#process.channel, this.#process.stderr as { ref?(): void; unref?(): void }];
    for (const part of parts) {
      if (isHeld) part?.ref?.();
      else part?.unref?.();
    }
  }

  /** Kills the process and waits until it has ended. */
  async end(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#gone;
  }
}
