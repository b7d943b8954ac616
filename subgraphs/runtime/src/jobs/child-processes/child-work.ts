import { Worker } from "node:worker_threads";
import type { JobAttempt } from "../definitions/job-definition.js";
import { type FromChild, receivedError, sentError, type ToChild } from "./child-messages.js";

/** A job's run in a child process. */
interface ChildRun<Settings, Payload> {
  readonly settings: Settings;
  readonly payload: Payload;
  readonly attempt: JobAttempt;
  readonly ask: (question: unknown) => Promise<unknown>;
}

/** Call it in a child process's entry module, which `inChildProcess` starts. The process runs one job and exits. */
export function workForParent<Settings, Payload>(work: (run: ChildRun<Settings, Payload>) => Promise<void>): void {
  const stop = new AbortController();
  const questions = new Questions();
  endWithParent();
  process.on("message", (message: ToChild) => {
    if (message.kind === "abort") return stop.abort(new Error("the parent process has aborted this run"));
    if (message.kind === "answer") return questions.answer(message);
    const run = {
      settings: message.settings as Settings,
      payload: message.payload as Payload,
      attempt: { ...message.attempt, signal: stop.signal },
      ask: (question: unknown) => questions.ask(question),
    };
    void work(run).then(
      () => end({ kind: "ended" }),
      (error: unknown) => end({ kind: "ended", error: sentError(error) }),
    );
  });
}

class Questions {
  readonly #open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #last = 0;

  ask(question: unknown): Promise<unknown> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      process.send?.({ kind: "ask", id, question } satisfies FromChild);
    });
  }

  answer({ id, value, error }: Extract<ToChild, { kind: "answer" }>): void {
    const question = this.#open.get(id);
    this.#open.delete(id);
    if (error) question?.reject(receivedError(error));
    else question?.resolve(value);
  }
}

function end(message: FromChild): void {
  process.send?.(message, undefined, {}, () => process.exit());
}

function endWithParent(): void {
  process.on("disconnect", () => process.exit());
  // A terminal sends signals to the whole process group. The parent process decides when this process ends.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
  // A run that blocks the event loop does not notice the disconnection, so a thread watches for a new parent process.
  const watch = `setInterval(() => process.ppid === ${process.ppid} || process.kill(process.pid, "SIGKILL"), 1000)`;
  new Worker(watch, { eval: true }).unref();
}
