import { DomainError } from "../errors/domain-error.js";
import { FairQueue } from "./fair-queue.js";

/** Work that may pause at each `yield`. Between two of them it should take a small part of a millisecond. */
export type PausableWork<Result> = Generator<void, Result, void>;

interface LongWorkOptions {
  /** How long one turn of the event loop may work. */
  readonly sliceMs?: number;
  /** How much work of one tenant may wait. */
  readonly maxPerTenant?: number;
  /** Milliseconds. */
  readonly clock?: () => number;
  readonly nextTurn?: (work: () => void) => void;
}

interface Waiting {
  readonly tenantId: string;
  readonly work: PausableWork<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does calculations that may be long, one slice in each turn of the event loop, so that other requests are answered in
 * between. Tenants take turns; the work of one tenant is done in its order. Work that needs less than a slice is done at
 * once where the present turn has not had its slice.
 */
export class LongWork {
  readonly #sliceMs: number;
  readonly #maxPerTenant: number;
  readonly #clock: () => number;
  readonly #nextTurn: (work: () => void) => void;
  readonly #waiting = new FairQueue<Waiting>();
  /** Whether this turn of the event loop has had its slice. */
  #isPlanned = false;

  constructor({ sliceMs = 0.5, maxPerTenant = 100, clock, nextTurn }: LongWorkOptions = {}) {
    this.#sliceMs = sliceMs;
    this.#maxPerTenant = maxPerTenant;
    this.#clock = clock ?? (() => performance.now());
    this.#nextTurn = nextTurn ?? ((work) => void setImmediate(work));
  }

  /** Throws what the work throws, and RATE_LIMITED when too much work of the tenant waits. */
  async run<Result>(tenantId: string, work: PausableWork<Result>): Promise<Result> {
    if (this.#waiting.waitingFor(tenantId) >= this.#maxPerTenant)
      throw new DomainError("RATE_LIMITED", {
        detail: `Already ${this.#maxPerTenant} long calculations of this tenant wait. Try again when some have ended.`,
        retryAfterSeconds: 1,
      });
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push(tenantId, { tenantId, work, resolve, reject });
      if (!this.#isPlanned) this.#turn();
    });
  }

  /** Takes the slice of this turn. The next one is in the next turn, also for work that arrives meanwhile. */
  #turn(): void {
    this.#isPlanned = true;
    this.#work();
    this.#nextTurn(() => {
      this.#isPlanned = false;
      if (this.#waiting.length > 0) this.#turn();
    });
  }

  /** Works until the slice is over or one work is done, because its answer takes time in this turn, too. */
  #work(): void {
    const next = this.#waiting.shift();
    if (next && !this.#isDone(next, this.#clock() + this.#sliceMs)) this.#waiting.putBack(next.tenantId, next);
  }

  #isDone({ work, resolve, reject }: Waiting, end: number): boolean {
    try {
      do {
        const { done, value } = work.next();
        if (!done) continue;
        resolve(value as never);
        return true;
      } while (this.#clock() < end);
      return false;
    } catch (error) {
      reject(error);
      return true;
    }
  }
}

/** Does pausable work at once, where nobody waits for the event loop. */
export function doAtOnce<Result>(work: PausableWork<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** The long work of this process. There is one, because there is one event loop. */
export const longWork = new LongWork();
