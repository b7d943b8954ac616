import type { Listener } from "@factory/runtime/connections/listener";
import { executionChannel } from "../record/execution-steps.js";

/** Called with the committed status, or without one when notifications may have been missed. */
type Watcher = (status?: string) => void;

/** Notifies watchers in this process of steps of executions that any process has committed. */
export class ExecutionWatch {
  readonly #watchers = new Map<string, Set<Watcher>>();

  async start(listener: Listener): Promise<void> {
    await listener.on(executionChannel, (payload) => this.#tell(payload));
  }

  /** Returns the function that unsubscribes. */
  subscribe(executionUuid: string, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(executionUuid) ?? new Set();
    this.#watchers.set(executionUuid, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(executionUuid);
    };
  }

  #tell(payload: string | undefined): void {
    if (payload === undefined) {
      for (const watchers of this.#watchers.values()) for (const watcher of watchers) watcher();
      return;
    }
    const [executionUuid = "", status] = payload.split(" ");
    for (const watcher of this.#watchers.get(executionUuid) ?? []) watcher(status);
  }
}
