import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { FairQueue } from "@factory/runtime/threads/fair-queue";
import { TenantShares } from "./tenant-shares.js";
import type { WorkerRequest } from "./worker-message.js";
import { type ProcessAnswer, WorkerProcess } from "./worker-process.js";

/** Why the work was cut, instead of an answer. */
export type ExceededLimit = "timeout" | "memory";

export interface LaneOrder {
  readonly request: WorkerRequest;
  /** Content of the request's files. */
  readonly bytes?: Uint8Array | undefined;
  /** Counts from the moment a process takes the task. */
  readonly timeoutMs: number;
  /** Tenants take turns. */
  readonly tenantId: string;
  readonly signal?: AbortSignal | undefined;
}

interface Task extends LaneOrder {
  resolve(outcome: ProcessAnswer | ExceededLimit): void;
  reject(error: Error): void;
}

interface Work {
  readonly task: Task;
  readonly timers: readonly NodeJS.Timeout[];
  readonly release: (penaltyMs?: number) => void;
}

interface LaneWorker {
  readonly child: WorkerProcess;
  work: Work | undefined;
  ready: boolean;
  idleTimer?: NodeJS.Timeout;
}

interface LaneOptions {
  readonly size: number;
  readonly entry: URL;
  readonly logger: Logger;
}

/** Waiting requests of one tenant: executions wait in a queue of their own, so a caller holds each of these open. */
const maxWaiting = 64;
/** What a process costs that has to be replaced, counted as its tenant's time. */
const replacementMs = 1000;
/** Work that takes longer may keep the next tenant waiting: another process is made ready meanwhile. */
const spareAfterMs = 50;
/** How long an idle process is kept beside the first one. */
const idleMs = 60_000;

/** Processes that take one task at a time, of each tenant in turn. A process that overruns is ended and replaced. */
export class WorkerLane {
  readonly #options: LaneOptions;
  readonly #workers = new Set<LaneWorker>();
  readonly #queue = new FairQueue<Task>();
  readonly #shares: TenantShares;
  #closed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#shares = new TenantShares(options.size);
  }

  async run(order: LaneOrder): Promise<ProcessAnswer | ExceededLimit> {
    if (this.#closed) throw new Error("The worker pool is closed.");
    const { tenantId, signal } = order;
    if (this.#queue.waitingFor(tenantId) >= maxWaiting)
      throw new DomainError("RATE_LIMITED", { detail: `${maxWaiting} requests of this tenant wait to be rendered.` });
    signal?.throwIfAborted();
    let drop: (() => void) | undefined;
    const outcome = new Promise<ProcessAnswer | ExceededLimit>((resolve, reject) => {
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
    const refuse = (task: Task) => task.reject(new Error("The worker pool is closed."));
    for (let task = this.#queue.shift(); task; task = this.#queue.shift()) refuse(task);
    await Promise.all([...this.#workers].map((worker) => this.#end(worker, refuse)));
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const idle = [...this.#workers].find((worker) => worker.ready && !worker.work);
      const starting = [...this.#workers].filter((worker) => !worker.ready).length;
      if (!idle) {
        if (starting < this.#queue.length && this.#workers.size < this.#options.size) this.#start();
        else return;
        continue;
      }
      // who has to wait is looked at again when some work ends
      const task = this.#queue.shift((tenantId) => this.#shares.mayTake(tenantId));
      if (!task) return;
      this.#give(idle, task);
    }
  }

  /** Its caller has gone: it leaves the queue, or its process is ended. */
  #drop(task: Task): void {
    task.reject(abortReason(task.signal));
    if (this.#queue.remove(task.tenantId, task)) return;
    const worker = [...this.#workers].find((candidate) => candidate.work?.task === task);
    if (!worker) return;
    void this.#end(worker, () => undefined);
    this.#dispatch();
  }

  #give(worker: LaneWorker, task: Task): void {
    clearTimeout(worker.idleTimer);
    const timer = setTimeout(() => {
      this.#options.logger.warn(
        { task: task.request.task, timeoutMs: task.timeoutMs },
        "work on a template took too long and was cut",
      );
      void this.#end(worker, (overdue) => overdue.resolve("timeout"));
      this.#dispatch();
    }, task.timeoutMs);
    const spare = setTimeout(() => this.#startSpare(), spareAfterMs);
    worker.work = { task, timers: [timer, spare], release: this.#shares.take(task.tenantId) };
    worker.child.hold(true);
    worker.child.send(task.request, task.bytes).catch((error: Error) => {
      // half a request may have left: such a process is good for nothing more
      if (worker.work?.task !== task) return;
      void this.#end(worker, (unsent) => unsent.reject(error));
      this.#dispatch();
    });
  }

  #start(): void {
    const child = new WorkerProcess(this.#options.entry, {
      ready: () => {
        worker.ready = true;
        worker.child.hold(worker.work !== undefined);
        this.#dispatch();
      },
      answered: (answer) => {
        this.#settle(worker)?.resolve(answer);
        this.#dispatch();
      },
      ended: (why) => this.#lose(worker, why),
    });
    const worker: LaneWorker = { child, work: undefined, ready: false };
    this.#workers.add(worker);
  }

  #startSpare(): void {
    const busy = [...this.#workers].every(({ work }) => work);
    if (busy && this.#workers.size < this.#options.size) this.#start();
  }

  #lose(worker: LaneWorker, why: "memory" | Error): void {
    if (!this.#workers.has(worker)) return;
    const error = why === "memory" ? new Error("A worker process has no memory left.") : why;
    if (why === "memory") this.#options.logger.warn("work on a template took too much memory and was cut");
    else this.#options.logger.error({ err: why }, "a worker process was lost");
    // a process that cannot even start would be started for ever
    if (!worker.ready) this.#queue.shift()?.reject(error);
    void this.#end(worker, (task) => (why === "memory" ? task.resolve("memory") : task.reject(error)));
    this.#dispatch();
  }

  async #end(worker: LaneWorker, tell: (task: Task) => void): Promise<void> {
    this.#workers.delete(worker);
    const task = this.#settle(worker, replacementMs);
    clearTimeout(worker.idleTimer);
    if (task) tell(task);
    await worker.child.end();
  }

  #settle(worker: LaneWorker, penaltyMs?: number): Task | undefined {
    const { work } = worker;
    worker.work = undefined;
    worker.child.hold(false);
    worker.idleTimer = setTimeout(() => {
      if (this.#workers.size > 1) void this.#end(worker, () => undefined);
    }, idleMs).unref();
    if (!work) return undefined;
    for (const timer of work.timers) clearTimeout(timer);
    work.release(penaltyMs);
    return work.task;
  }
}

function abortReason(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new Error("The work was given up.");
}
