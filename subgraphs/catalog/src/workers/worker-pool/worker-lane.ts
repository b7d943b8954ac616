import { DomainError } from "@factory/runtime/errors/domain-error";
import { isFileOutage } from "@factory/runtime/errors/file-failure";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { FairQueue } from "@factory/runtime/threads/fair-queue";
import { TenantShares } from "./tenant-shares.js";
import type { WorkerRequest } from "./worker-message.js";
import { type ProcessAnswer, WorkerProcess } from "./worker-process.js";

/** The limit that the work has exceeded. It takes the place of an answer. */
export type ExceededLimit = "timeout" | "memory";

interface LaneOrder {
  readonly request: WorkerRequest;
  /** The file bytes in the request. */
  readonly bytes?: Uint8Array | undefined;
  /** Starts when a process takes the task. */
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

/**
 * The limit for one tenant's waiting requests. A caller waits for each request, since executions wait in the job queue.
 */
const maxWaiting = 64;
/** The time to replace a process. It is charged to the tenant whose work ended it. */
const replacementMs = 1000;
/** After this working time a spare process is started, so that the next tenant need not wait. */
const spareAfterMs = 50;
/** The time after which an idle process ends, except for the last one. */
const idleMs = 60_000;

/**
 * Processes that take one task at a time, from each tenant in turn. A process that exceeds a limit is ended and
 * replaced.
 */
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
      throw new DomainError("RATE_LIMITED", {
        detail: `${maxWaiting} requests of this tenant are waiting already. Try again later.`,
      });
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
      // The waiting tenants are checked again when some work ends.
      const task = this.#queue.shift((tenantId) => this.#shares.mayTake(tenantId));
      if (!task) return;
      this.#give(idle, task);
    }
  }

  /** The caller has aborted: the task leaves the queue, or its process is ended. */
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
        "work in a worker process took too long and was ended",
      );
      void this.#end(worker, (overdue) => overdue.resolve("timeout"));
      this.#dispatch();
    }, task.timeoutMs);
    const spare = setTimeout(() => this.#startSpare(), spareAfterMs);
    worker.work = { task, timers: [timer, spare], release: this.#shares.take(task.tenantId) };
    worker.child.hold(true);
    worker.child.send(task.request, task.bytes).catch((error: Error) => {
      // The request may be half sent, so the process cannot be used any more.
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
    if (why === "memory") this.#options.logger.warn("work in a worker process took too much memory and was ended");
    else this.#options.logger[isFileOutage(why) ? "warn" : "error"]({ err: why }, "a worker process was lost");
    // A process that cannot even start must not be started again and again.
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
  return signal?.reason instanceof Error ? signal.reason : new Error("The work was aborted.");
}
