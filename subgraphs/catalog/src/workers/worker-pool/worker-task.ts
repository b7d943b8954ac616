import type { FileTree } from "@factory/template-engine/file-tree";

/**
 * A task's queue. A caller waits for `quick` work, so it must not wait behind `long` work. Each lane has its own
 * processes.
 */
export type LaneName = "quick" | "long";

/**
 * A kind of work for a worker process: its name, and the types of its input and output. Both must be
 * structured-cloneable. Files are sent separately, as one memory block.
 */
export interface WorkerTask<Input, Output> {
  readonly name: string;
  readonly lane: LaneName;
  /** Never set: it carries the types. */
  readonly types?: (input: Input) => Output;
}

/** A task's output, and the files that it produced. */
export interface TaskOutcome<Output> {
  readonly output: Output;
  readonly files?: FileTree;
}

/** How a worker process answers the requests of one task. */
export interface TaskHandler {
  readonly name: string;
  readonly run: (input: unknown, files: FileTree) => TaskOutcome<unknown> | Promise<TaskOutcome<unknown>>;
}

/** Declares a kind of work; the process that asks and the process that answers share the declaration. */
export function workerTask<Input, Output>(name: string, lane: LaneName): WorkerTask<Input, Output> {
  return { name, lane };
}

/** Binds a task to the function that does its work inside a worker process. */
export function taskHandler<Input, Output>(
  { name }: WorkerTask<Input, Output>,
  run: (input: Input, files: FileTree) => TaskOutcome<Output> | Promise<TaskOutcome<Output>>,
): TaskHandler {
  return { name, run: (input, files) => run(input as Input, files) };
}
