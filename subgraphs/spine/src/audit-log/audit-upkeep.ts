import type { Logger } from "@factory/runtime/telemetry/logger";

const intervalMs = 15_000;
/** The process has more urgent work at its start. */
const firstAfterMs = 1000;

/** Work that finds by itself what is due, in any process and after any crash. */
interface UpkeepTask {
  run(signal: AbortSignal): Promise<void>;
}

/** Seals, erases and deletes what is due, every 15 seconds. Rows are the truth; the timer only looks at them. */
export class AuditUpkeep {
  readonly #tasks: Readonly<Record<string, UpkeepTask>>;
  readonly #logger: Logger;
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(tasks: Readonly<Record<string, UpkeepTask>>, logger: Logger) {
    this.#tasks = tasks;
    this.#logger = logger;
  }

  start(afterMs = firstAfterMs): void {
    this.#timer = setTimeout(() => void this.run().then(() => this.start(intervalMs)), afterMs).unref();
    if (this.#stopped.signal.aborted) clearTimeout(this.#timer);
  }

  /** Runs every task once, one run at a time. A task that fails is tried again in the next run. */
  run(): Promise<void> {
    this.#running = this.#running.then(() => this.#runTasks());
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #runTasks(): Promise<void> {
    for (const [name, task] of Object.entries(this.#tasks)) {
      if (this.#stopped.signal.aborted) return;
      await task
        .run(this.#stopped.signal)
        .catch((error: unknown) =>
          this.#logger.warn({ err: error, task: name }, "a task of the audit log failed and is tried again in 15 s"),
        );
    }
  }
}
