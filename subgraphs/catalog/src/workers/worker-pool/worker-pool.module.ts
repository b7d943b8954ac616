import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { WorkerPool } from "./worker-pool.js";

export interface WorkerPoolSettings {
  /** The compiled entry of the worker processes. */
  readonly workerEntry: URL;
}

/** The pool of worker processes with time limits and memory limits. */
export const workerPool: SliceModule<WorkerPoolSettings> = {
  slice: "worker-pool",
  start({ settings, logger, onClose }, services) {
    const pool = services.add(new WorkerPool({ entry: settings.workerEntry, logger }));
    onClose(() => pool.close());
  },
};
