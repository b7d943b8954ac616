import type { Listener } from "@factory/runtime/connections/listener";
import { runChannel } from "./run-moves.js";

/** Called with the committed state, or without one when notifications may have been missed. */
type Watcher = (status?: string) => void;

/** Notifies watchers in this process of steps of runs that any process has committed. */
export class RunWatch {
  readonly #watchers = new Map<string, Set<Watcher>>();

  async start(listener: Listener): Promise<void> {
    await listener.on(runChannel, (payload) => this.#tell(payload));
  }

  /** Watches the run with this UUID. Returns the function that unsubscribes. */
  subscribe(run: string, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(run) ?? new Set();
    this.#watchers.set(run, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(run);
    };
  }

  /** Lets every watcher look. */
  wakeAll(): void {
    for (const watchers of this.#watchers.values()) for (const watcher of watchers) watcher();
  }

  #tell(payload: string | undefined): void {
    if (payload === undefined) {
      this.wakeAll();
      return;
    }
    for (const line of payload.split("\n")) {
      const [run = "", status] = line.split(" ");
      for (const watcher of this.#watchers.get(run) ?? []) watcher(status);
    }
  }
}
