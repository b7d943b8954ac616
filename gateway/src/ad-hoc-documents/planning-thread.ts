import { Worker } from "node:worker_threads";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { logChildOutput } from "@factory/runtime/telemetry/foreign-output";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { FairQueue } from "@factory/runtime/threads/fair-queue";
import type { PlanningAnswer, PlanningRequest, PlanningSetup } from "./planning-request.js";

/** The time limits for planning one document. */
export interface PlanningLimits {
  /** The thread's CPU time for one document in milliseconds. Other load on the machine does not count. */
  readonly cpuMs: number;
  /** Elapsed time in milliseconds. This limit ends a thread that gets no CPU time. */
  readonly wallMs: number;
}

interface Task {
  readonly owner: string;
  readonly request: PlanningRequest;
  resolve(answer: PlanningAnswer | "cut"): void;
  reject(error: Error): void;
}

interface Planning {
  readonly task: Task;
  readonly startedAt: number;
  readonly cpuBefore: Promise<NodeJS.CpuUsage>;
  readonly watch: NodeJS.Timeout;
}

const standardLimits: PlanningLimits = { cpuMs: 1000, wallMs: 10_000 };
const maxWaitingOfOwner = 32;
const maxWaiting = 512;
const checksPerLimit = 8;
const memoryLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/**
 * One worker thread that validates and plans unknown documents. The documents' owners take turns. The thread starts
 * with the first document. When a document takes too long, the thread is ended, and the next document gets a new
 * thread.
 */
export class PlanningThread {
  readonly #setup: PlanningSetup;
  readonly #logger: Logger;
  readonly #limits: PlanningLimits;
  readonly #queue = new FairQueue<Task>();
  #thread: Worker | undefined;
  #ready = false;
  #planning: Planning | undefined;
  #closed = false;

  constructor(setup: PlanningSetup, logger: Logger, limits: Partial<PlanningLimits> = {}) {
    this.#setup = setup;
    this.#logger = logger;
    this.#limits = { ...standardLimits, ...limits };
  }

  /** Plans an owner's document. The answer is "cut" when the document took longer than its limit. */
  async plan(owner: string, request: PlanningRequest): Promise<PlanningAnswer | "cut"> {
    if (this.#closed) throw stoppingError();
    if (this.#queue.waitingFor(owner) >= maxWaitingOfOwner)
      throw new DomainError("RATE_LIMITED", {
        detail: `${maxWaitingOfOwner} documents of this tenant are waiting already, which is the limit. Wait until one of them has been answered.`,
      });
    if (this.#queue.length >= maxWaiting)
      throw new DomainError("UNAVAILABLE", {
        detail: "Too many new documents are waiting to be planned. Try again in a moment.",
      });
    return new Promise((resolve, reject) => {
      this.#queue.push(owner, { owner, request, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (let task = this.#queue.shift(); task; task = this.#queue.shift()) task.reject(stoppingError());
    await this.#end((task) => task.reject(stoppingError()));
  }

  #next(): void {
    if (this.#planning || this.#queue.length === 0) return;
    if (!this.#thread) this.#start();
    if (!this.#thread || !this.#ready) return;
    const task = this.#queue.shift();
    if (!task) return;
    const thread = this.#thread;
    thread.ref();
    const watch = setInterval(() => void this.#watch(thread), this.#limits.cpuMs / checksPerLimit);
    this.#planning = { task, startedAt: performance.now(), cpuBefore: thread.cpuUsage(), watch };
    thread.postMessage(task.request);
  }

  async #watch(thread: Worker): Promise<void> {
    const { task, startedAt, cpuBefore } = this.#planning ?? {};
    if (!task || startedAt === undefined) return;
    // A thread that has ended does not report its CPU usage.
    const usage = await cpuBefore?.then((before) => thread.cpuUsage(before)).catch(() => undefined);
    const cpuMs = usage ? (usage.user + usage.system) / 1000 : 0;
    if (this.#planning?.task !== task) return;
    if (cpuMs < this.#limits.cpuMs && performance.now() - startedAt < this.#limits.wallMs) return;
    const bytes = Buffer.byteLength(task.request.text);
    this.#logger.warn(
      { owner: task.owner, bytes, cpuMs },
      "the planning of a GraphQL document took too long and was ended",
    );
    void this.#end((cut) => cut.resolve("cut"));
    this.#next();
  }

  #start(): void {
    // Tests run the .ts files, but a thread needs the compiled file.
    const compiledWorker = import.meta.url.endsWith(".ts")
      ? "../../dist/ad-hoc-documents/planning-worker.js"
      : "./planning-worker.js";
    const thread = new Worker(new URL(compiledWorker, import.meta.url), {
      workerData: this.#setup,
      resourceLimits: memoryLimits,
      env: {},
      execArgv: [],
      name: "planning",
      stdout: true,
      stderr: true,
    });
    this.#thread = thread;
    for (const output of [thread.stdout, thread.stderr]) logChildOutput(output, this.#logger);
    thread.on("message", (message: PlanningAnswer | "ready") => {
      if (thread !== this.#thread) return;
      if (message === "ready") this.#ready = true;
      else this.#settle()?.resolve(message);
      this.#next();
    });
    thread.on("error", (error) => this.#lose(thread, error instanceof Error ? error : new Error(String(error))));
    thread.on("exit", () => this.#lose(thread, new Error("The planning thread ended unexpectedly.")));
  }

  #lose(thread: Worker, error: Error): void {
    if (thread !== this.#thread) return;
    const outOfMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
    if (outOfMemory) this.#logger.warn("the planning of a GraphQL document needed too much memory and was ended");
    else this.#logger.error({ err: error }, "the planning thread ended unexpectedly");
    // Without this rejection, a thread that cannot start would be started again in an endless loop.
    if (!this.#ready) this.#queue.shift()?.reject(error);
    void this.#end((task) => (outOfMemory ? task.resolve("cut") : task.reject(error)));
    this.#next();
  }

  async #end(tell: (task: Task) => void): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#ready = false;
    const task = this.#settle();
    if (task) tell(task);
    await thread?.terminate();
  }

  #settle(): Task | undefined {
    const planning = this.#planning;
    clearInterval(planning?.watch);
    this.#planning = undefined;
    this.#thread?.unref();
    return planning?.task;
  }
}

const stoppingError = () =>
  new DomainError("UNAVAILABLE", { detail: "The platform is stopping. Try again in a moment." });
