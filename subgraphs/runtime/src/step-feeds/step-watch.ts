import type { Notifications } from "../connections/listener.js";

/** Called with the committed state, or without one when notifications may have been missed. */
type Watcher = (status?: string) => void;

/** Notifies watchers in this process about steps that any process has committed. */
export class StepWatch {
  readonly #watchers = new Map<string, Set<Watcher>>();

  /** Each line in a notification on the channel has a row's UUID and state. */
  async start(listener: Notifications, channel: string): Promise<void> {
    await listener.on(channel, (payload) => this.#tell(payload));
  }

  /** Watches the row with this UUID. Returns the function that unsubscribes. */
  subscribe(uuid: string, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(uuid) ?? new Set();
    this.#watchers.set(uuid, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(uuid);
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
      const [uuid = "", status] = line.split(" ");
      for (const watcher of this.#watchers.get(uuid) ?? []) watcher(status);
    }
  }
}
