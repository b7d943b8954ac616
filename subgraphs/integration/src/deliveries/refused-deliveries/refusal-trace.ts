import { atMost } from "@factory/runtime/caches/entry-limit";
import type { ErrorCode } from "@factory/schema/error-codes";
import { LRUCache } from "lru-cache";

/** The resource whose URL was called, by UUIDs. */
export interface RefusingResource {
  readonly tenant: string;
  readonly resource: string;
}

/** One resource's refusals that are not written yet. */
export interface Refusals extends RefusingResource {
  readonly count: number;
  readonly lastReason: ErrorCode;
  readonly lastRefusedAt: Date;
}

interface Options {
  readonly write: (refusals: readonly Refusals[]) => Promise<unknown>;
  readonly onFailure: (error: unknown) => void;
  /** Milliseconds. */
  readonly clock?: () => number;
  readonly later?: (work: () => void, ms: number) => void;
}

const pauseMs = 10_000;
/** Further resources are not counted until others are written. All exist, since the caller has found them. */
const maxResources = 10_000;

/**
 * Counts refused deliveries, and writes a resource's refusals at most once in ten seconds, however many there are. The
 * first one is written at once, since somebody may be looking for it. A process that dies loses the rest.
 */
export class RefusalTrace {
  readonly #options: Options;
  readonly #clock: () => number;
  readonly #later: (work: () => void, ms: number) => void;
  readonly #waiting = new Map<string, Refusals>();
  readonly #writtenAt = new LRUCache<string, number>(atMost(maxResources));
  #writing: Promise<void> = Promise.resolve();
  #wakesAt = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#later = options.later ?? ((work, ms) => void setTimeout(work, ms).unref());
  }

  note({ tenant, resource }: RefusingResource, lastReason: ErrorCode, lastRefusedAt: Date): void {
    if (this.#isClosed) return;
    const waitingRefusals = this.#waiting.get(resource);
    if (!waitingRefusals && this.#waiting.size >= maxResources) return;
    const count = (waitingRefusals?.count ?? 0) + 1;
    this.#waiting.set(resource, { tenant, resource, count, lastReason, lastRefusedAt });
    this.#wakeAt(this.#dueAt(resource));
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
    await this.#write(this.#taken(() => true));
  }

  #dueAt(resource: string): number {
    return (this.#writtenAt.get(resource) ?? Number.NEGATIVE_INFINITY) + pauseMs;
  }

  #wakeAt(at: number): void {
    if (at >= this.#wakesAt) return;
    this.#wakesAt = at;
    // a timer that an earlier one has replaced does nothing
    this.#later(() => this.#wakesAt === at && this.#wake(), Math.max(0, at - this.#clock()));
  }

  #wake(): void {
    this.#wakesAt = Number.POSITIVE_INFINITY;
    if (this.#isClosed) return;
    const now = this.#clock();
    const due = this.#taken(({ resource }) => this.#dueAt(resource) <= now);
    this.#writing = this.#writing.then(() => this.#write(due));
    for (const resource of this.#waiting.keys()) this.#wakeAt(this.#dueAt(resource));
  }

  /** Those that wait and are chosen. They count as written now. */
  #taken(isChosen: (refusals: Refusals) => boolean): Refusals[] {
    const chosenRefusals = [...this.#waiting.values()].filter(isChosen);
    for (const { resource } of chosenRefusals) {
      this.#waiting.delete(resource);
      this.#writtenAt.set(resource, this.#clock());
    }
    return chosenRefusals;
  }

  /** Refusals that could not be written wait for the next time. */
  async #write(refusals: readonly Refusals[]): Promise<void> {
    if (refusals.length === 0) return;
    try {
      await this.#options.write(refusals);
    } catch (error) {
      this.#options.onFailure(error);
      for (const unwritten of refusals) this.#keep(unwritten);
    }
  }

  #keep(unwritten: Refusals): void {
    const newer = this.#waiting.get(unwritten.resource);
    if (!newer && this.#waiting.size >= maxResources) return;
    this.#waiting.set(unwritten.resource, newer ? { ...newer, count: newer.count + unwritten.count } : unwritten);
    if (!this.#isClosed) this.#wakeAt(this.#dueAt(unwritten.resource));
  }
}
