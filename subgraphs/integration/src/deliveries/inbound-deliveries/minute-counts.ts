import { atMost } from "@factory/runtime/caches/entry-limit";
import { LRUCache } from "lru-cache";

interface Window {
  count: number;
  readonly endsAt: number;
}

const windowMs = 60_000;
/** Invented addresses and names displace the oldest windows only, so that memory is bounded. */
const maxWindows = 50_000;

/** Counts a minute's events by name, in this process's memory. */
export class MinuteCounts {
  readonly #windows = new LRUCache<string, Window>(atMost(maxWindows));
  readonly #limit: number;

  /** `factor` multiplies the limit. */
  constructor(limit: number, factor = 1) {
    this.#limit = limit * factor;
  }

  /** Returns a function that takes the count back. */
  count(name: string, events = 1): () => void {
    const window = this.#current(name) ?? { count: 0, endsAt: performance.now() + windowMs };
    window.count += events;
    this.#windows.set(name, window);
    let isCounted = true;
    return () => {
      if (isCounted) window.count -= events;
      isCounted = false;
    };
  }

  /** The seconds until the name's window ends, when it has no room for so many more events; otherwise undefined. */
  exhaustedFor(name: string, factor = 1, events = 1): number | undefined {
    const window = this.#current(name);
    if (!window || window.count + events <= this.limit(factor)) return undefined;
    return Math.max(1, Math.ceil((window.endsAt - performance.now()) / 1000));
  }

  /** The events that a window has room for. */
  limit(factor = 1): number {
    return Math.max(1, Math.floor(this.#limit * factor));
  }

  #current(name: string): Window | undefined {
    const window = this.#windows.get(name);
    return window && window.endsAt > performance.now() ? window : undefined;
  }
}
