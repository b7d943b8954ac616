import { availableParallelism } from "node:os";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { TreeFile } from "@factory/template-engine/file-tree";
import { TemplateError } from "@factory/template-engine/template-error";
import { type PackedTree, unpackTree } from "./packed-tree.js";
import { type ExceededLimit, WorkerLane } from "./worker-lane.js";
import type { WorkerAnswer } from "./worker-message.js";
import type { LaneName, WorkerTask } from "./worker-task.js";

/** The tenant that a worker process works for: tenants take turns, and work whose `signal` is aborted is ended. */
export interface WorkerClient {
  readonly tenantId: string;
  readonly signal?: AbortSignal | undefined;
}

interface WorkerOrder<Input> {
  readonly input: Input;
  readonly files?: PackedTree;
  /** Starts when a process takes the work. */
  readonly timeoutMs: number;
  readonly client?: WorkerClient | undefined;
}

interface WorkerPoolOptions {
  /** The compiled module that a worker process runs; it calls `serveTasks`. */
  readonly entry: URL;
  readonly logger: Logger;
  /** Processes in each lane. */
  readonly size?: number;
}

/** One tenant never holds all processes in a lane, so a lane has two at least. */
const minProcesses = 2;
const maxProcesses = 8;

const noTenant: WorkerClient = { tenantId: "" };

/**
 * Runs tasks in child processes under time limits and memory limits: rendering foreign templates, checks by foreign
 * schemas, long calculations. It knows no task by name.
 */
export class WorkerPool {
  readonly #lanes: Readonly<Record<LaneName, WorkerLane>>;

  constructor({ entry, logger, size = Math.min(maxProcesses, availableParallelism()) }: WorkerPoolOptions) {
    const lane = { entry, logger, size: Math.max(minProcesses, size) };
    this.#lanes = { quick: new WorkerLane(lane), long: new WorkerLane(lane) };
  }

  /**
   * Runs a task. Returns its output and files, or the limit that it exceeded: `timeout` or `memory`. Throws the task's
   * TemplateError, RATE_LIMITED when too much of the tenant's work waits, and an aborted signal's reason.
   */
  async run<Input, Output>(
    { name, lane }: WorkerTask<Input, Output>,
    { input, files, timeoutMs, client = noTenant }: WorkerOrder<Input>,
  ): Promise<{ output: Output; files: Map<string, TreeFile> } | ExceededLimit> {
    const request = { task: name, input, files: files?.files ?? [] };
    const outcome = await this.#lanes[lane].run({ request, bytes: files?.bytes, timeoutMs, ...client });
    if (typeof outcome === "string") return outcome;
    const doneAnswer = requireDone(outcome.answer);
    return { output: doneAnswer.output as Output, files: unpackTree(doneAnswer.files, outcome.bytes) };
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#lanes).map((lane) => lane.close()));
  }
}

function requireDone(answer: WorkerAnswer): Extract<WorkerAnswer, { kind: "done" }> {
  if (answer.kind === "done") return answer;
  if (answer.kind === "refused") throw new TemplateError(answer.code, answer.message, answer.findings);
  const error = new Error(answer.message);
  if (answer.stack !== undefined) error.stack = answer.stack;
  throw error;
}
