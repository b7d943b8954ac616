import type { Logger } from "@factory/runtime/telemetry/logger";

interface RunningPart {
  readonly name: string;
  readonly close: () => Promise<void>;
}

/** The parts of a process in start order. They are closed in reverse order, each part once. */
export class RunningParts {
  readonly #logger: Logger;
  readonly #running: RunningPart[] = [];
  #stopped: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Adds a running part. `stop` closes it before the parts that were added earlier. */
  add(name: string, close: () => Promise<void>): void {
    this.#running.push({ name, close });
  }

  /** Adds a part that is still starting. `stop` waits for the start, and closes the part if the start succeeded. */
  addStarting(name: string, start: Promise<{ close(): Promise<void> }>): void {
    this.add(name, async () => {
      const part = await start.catch(() => undefined);
      await part?.close();
    });
  }

  /** Runs `start`. If it fails, the running parts are closed before the failure is reported. */
  async startOrClose<T>(start: () => Promise<T>): Promise<T> {
    try {
      return await start();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Closes all parts. Throws an AggregateError after the last part if some parts could not be closed. */
  stop(): Promise<void> {
    this.#stopped ??= this.#closeAll();
    return this.#stopped;
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const { name, close } of this.#running.reverse()) {
      const startTime = performance.now();
      await close().catch((error: unknown) => failures.push(error));
      this.#logger.debug({ part: name, ms: Math.round(performance.now() - startTime) }, "stopped");
    }
    // PostgreSQL and the lock are closed last, even if an earlier part could not be closed.
    if (failures.length > 0) throw new AggregateError(failures, "some parts could not be stopped");
  }
}
