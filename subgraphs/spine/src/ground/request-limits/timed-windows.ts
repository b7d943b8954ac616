import { atMost } from "@factory/runtime/caches/entry-limit";
import { LRUCache } from "lru-cache";

/** Keeps memory bounded when callers invent keys: the windows that were used least recently are forgotten first. */
const maxWindows = 20_000;

/** A count that ends at a clock time, in milliseconds. */
export interface TimedWindow {
  readonly endsAt: number;
}

/**
 * Windows by key. Each ends a fixed time after it was opened. `rate-limiter-flexible` counts in similar windows, but
 * its memory store keeps a timer for each key, has no limit on keys, and answers by a promise: comparing a client
 * secret must count without a pause.
 */
export class TimedWindows<W extends TimedWindow> {
  readonly #windows = new LRUCache<string, W>(atMost(maxWindows));
  readonly #durationMs: number;
  readonly #clock: () => number;

  constructor(durationMs: number, clock: () => number) {
    this.#durationMs = durationMs;
    this.#clock = clock;
  }

  /** The key's open window. Undefined for a key without one. */
  find(key: string): W | undefined {
    const window = this.#windows.get(key);
    return window && window.endsAt > this.#clock() ? window : undefined;
  }

  /** The key's open window. Opens a new one for a key without one. */
  open(key: string, create: (endsAt: number) => W): W {
    const openWindow = this.find(key);
    if (openWindow) return openWindow;
    const newWindow = create(this.#clock() + this.#durationMs);
    this.#windows.set(key, newWindow);
    return newWindow;
  }

  /** Replaces the key's window. */
  set(key: string, window: W): void {
    this.#windows.set(key, window);
  }

  /** Milliseconds until the window ends. */
  leftMs({ endsAt }: W): number {
    return endsAt - this.#clock();
  }
}
