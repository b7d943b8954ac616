import { Worker } from "node:worker_threads";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { FairQueue } from "./fair-queue.js";
import type { RenderingAnswer, RenderingRequest } from "./rendering-request.js";

/** Why the work was cut, instead of an answer. */
export type Cut = "timeout" | "memory";

export interface LaneOrder {
  readonly request: RenderingRequest;
  /** Counts from the moment a thread takes the task. */
  readonly timeoutMs: number;
  /** Tenants take turns. */
  readonly tenantId: string;
  readonly signal?: AbortSignal | undefined;
}

interface Task extends LaneOrder {
  resolve(outcome: RenderingAnswer | Cut): void;
  reject(error: Error): void;
}

interface LaneWorker {
  readonly thread: Worker;
  task: Task | undefined;
  timer: NodeJS.Timeout | undefined;
  ready: boolean;
}

interface LaneOptions {
  readonly size: number;
  readonly entry: URL;
  readonly logger: Logger;
}

/** Of one tenant: executions wait in their own queue, so these are requests that somebody holds open. */
const mostWaiting = 64;

const memoryLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 };

/** Threads that take one task at a time, of each tenant in turn. A thread that overruns is ended and replaced. */
export class WorkerLane {
  readonly #options: LaneOptions;
  readonly #workers = new Set<LaneWorker>();
  readonly #queue = new FairQueue<Task>();
  #closed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  async run(order: LaneOrder): Promise<RenderingAnswer | Cut> {
    if (this.#closed) throw new Error("The rendering pool is closed.");
    const { tenantId, signal } = order;
    if (this.#queue.waitingFor(tenantId) >= mostWaiting)
      throw new DomainError("RATE_LIMITED", { detail: `${mostWaiting} requests of this tenant wait to be rendered.` });
    signal?.throwIfAborted();
    let drop: (() => void) | undefined;
    const outcome = new Promise<RenderingAnswer | Cut>((resolve, reject) => {
      const task: Task = { ...order, resolve, reject };
      drop = () => this.#drop(task);
      this.#queue.push(tenantId, task);
      this.#dispatch();
    });
    if (!signal || !drop) return outcome;
    signal.addEventListener("abort", drop, { once: true });
    return outcome.finally(() => drop && signal.removeEventListener("abort", drop));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (let task = this.#queue.shift(); task; task = this.#queue.shift())
      task.reject(new Error("The rendering pool is closed."));
    await Promise.all(
      [...this.#workers].map((worker) =>
        this.#end(worker, (task) => task.reject(new Error("The rendering pool is closed."))),
      ),
    );
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const idle = [...this.#workers].find((worker) => worker.ready && !worker.task);
      const starting = [...this.#workers].filter((worker) => !worker.ready).length;
      if (!idle) {
        if (starting < this.#queue.length && this.#workers.size < this.#options.size) this.#start();
        else return;
        continue;
      }
      const task = this.#queue.shift();
      if (task) this.#give(idle, task);
    }
  }

  /** Nobody waits for it any more: out of the queue, or its thread is ended with it. */
  #drop(task: Task): void {
    task.reject(abortReason(task.signal));
    if (this.#queue.remove(task.tenantId, task)) return;
    const worker = [...this.#workers].find((candidate) => candidate.task === task);
    if (!worker) return;
    void this.#end(worker, () => undefined);
    this.#dispatch();
  }

  #give(worker: LaneWorker, task: Task): void {
    worker.task = task;
    worker.thread.ref();
    worker.timer = setTimeout(() => {
      this.#options.logger.warn(
        { kind: task.request.kind, timeoutMs: task.timeoutMs },
        "work on a template took too long and was cut",
      );
      void this.#end(worker, (cut) => cut.resolve("timeout"));
      this.#dispatch();
    }, task.timeoutMs);
    try {
      worker.thread.postMessage(task.request);
    } catch (error) {
      this.#settle(worker)?.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #start(): void {
    // foreign work sees no environment and none of our flags
    const thread = new Worker(this.#options.entry, {
      resourceLimits: memoryLimits,
      env: {},
      execArgv: [],
      name: "rendering",
    });
    const worker: LaneWorker = { thread, task: undefined, timer: undefined, ready: false };
    this.#workers.add(worker);
    thread.on("message", (message: RenderingAnswer | "ready") => {
      if (message === "ready") {
        worker.ready = true;
        thread.unref();
      } else this.#settle(worker)?.resolve(message);
      this.#dispatch();
    });
    thread.on("error", (error) => this.#lose(worker, error instanceof Error ? error : new Error(String(error))));
    thread.on("exit", () => this.#lose(worker, new Error("A rendering thread ended by itself.")));
  }

  #lose(worker: LaneWorker, error: Error): void {
    if (!this.#workers.has(worker)) return;
    const outOfMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
    if (outOfMemory) this.#options.logger.warn("work on a template took too much memory and was cut");
    else this.#options.logger.error({ err: error }, "a rendering thread was lost");
    // a thread that cannot even start would be started for ever
    if (!worker.ready) this.#queue.shift()?.reject(error);
    void this.#end(worker, (task) => (outOfMemory ? task.resolve("memory") : task.reject(error)));
    this.#dispatch();
  }

  async #end(worker: LaneWorker, tell: (task: Task) => void): Promise<void> {
    this.#workers.delete(worker);
    const task = this.#settle(worker);
    if (task) tell(task);
    await worker.thread.terminate();
  }

  #settle(worker: LaneWorker): Task | undefined {
    const { task } = worker;
    clearTimeout(worker.timer);
    worker.task = undefined;
    worker.thread.unref();
    return task;
  }
}

function abortReason(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error("The work was given up.");
}
