import { DomainError } from "@factory/runtime/errors/domain-error";
import { LRUCache } from "lru-cache";

interface Window {
  count: number;
  readonly endsAt: number;
}

const windowMs = 60_000;
/** Invented addresses and names displace the oldest windows only, so that memory is bounded. */
const maxWindows = 50_000;

/** Counts events of a minute by name, in the memory of this process. */
export class MinuteCounts {
  readonly #windows = new LRUCache<string, Window>({ max: maxWindows });
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  count(name: string): void {
    const window = this.#current(name);
    if (window) window.count += 1;
    else this.#windows.set(name, { count: 1, endsAt: performance.now() + windowMs });
  }

  /** The seconds until the window of a name ends whose limit, times the factor, is used up; otherwise undefined. */
  exhaustedFor(name: string, factor = 1): number | undefined {
    const window = this.#current(name);
    if (!window || window.count < Math.max(1, Math.floor(this.#limit * factor))) return undefined;
    return Math.max(1, Math.ceil((window.endsAt - performance.now()) / 1000));
  }

  #current(name: string): Window | undefined {
    const window = this.#windows.get(name);
    return window && window.endsAt > performance.now() ? window : undefined;
  }
}

/** Throws RATE_LIMITED while a limit is used up. */
export function requireRoom(seconds: number | undefined, detail: string): void {
  if (seconds !== undefined) throw new DomainError("RATE_LIMITED", { detail, retryAfterSeconds: seconds });
}
