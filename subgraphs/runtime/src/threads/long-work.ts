import { DomainError } from "../errors/domain-error.js";
import { FairQueue } from "./fair-queue.js";

/** Work that may pause at each `yield`. Between two pauses it should take a small part of a millisecond. */
export type PausableWork<Result> = Generator<void, Result, void>;

interface LongWorkOptions {
  /** How long one event-loop turn may work. */
  readonly sliceMs?: number;
  /** A step that takes longer is followed by a rest. */
  readonly maxStepMs?: number;
  /** How much work may wait for one tenant. */
  readonly maxPerTenant?: number;
  /** Milliseconds. */
  readonly clock?: () => number;
  readonly nextTurn?: (work: () => void) => void;
  readonly later?: (work: () => void, ms: number) => void;
}

/** A step that cannot pause is followed by a rest so many times as long: what follows it takes time, too. */
const restFactor = 8;
const maxRestMs = 250;

interface Waiting {
  readonly tenantId: string;
  readonly work: PausableWork<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does calculations that may be long, one slice in each event-loop turn, so that other requests are answered in
 * between. Tenants take turns; one tenant's work is done in its order. Work that needs less than a slice is done at
 * once where the present turn has not had its slice. After a step that took longer than a millisecond, its tenant
 * rests.
 */
export class LongWork {
  readonly #sliceMs: number;
  readonly #maxStepMs: number;
  readonly #maxPerTenant: number;
  readonly #clock: () => number;
  readonly #nextTurn: (work: () => void) => void;
  readonly #later: (work: () => void, ms: number) => void;
  readonly #waiting = new FairQueue<Waiting>();
  readonly #resting = new Set<string>();
  /** Whether this event-loop turn has had its slice. */
  #isPlanned = false;

  constructor({ sliceMs = 0.25, maxStepMs = 1, maxPerTenant = 100, clock, nextTurn, later }: LongWorkOptions = {}) {
    this.#sliceMs = sliceMs;
    this.#maxStepMs = maxStepMs;
    this.#maxPerTenant = maxPerTenant;
    this.#clock = clock ?? (() => performance.now());
    this.#nextTurn = nextTurn ?? ((work) => void setImmediate(work));
    this.#later = later ?? ((work, ms) => void setTimeout(work, ms).unref());
  }

  /** Throws what the work throws, and RATE_LIMITED when too much of the tenant's work waits. */
  async run<Result>(tenantId: string, work: PausableWork<Result>): Promise<Result> {
    if (this.#waiting.waitingFor(tenantId) >= this.#maxPerTenant)
      throw new DomainError("RATE_LIMITED", {
        detail: `Already ${this.#maxPerTenant} long calculations of this tenant wait. Try again when some have ended.`,
        retryAfterSeconds: 1,
      });
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push(tenantId, { tenantId, work, resolve, reject });
      this.#plan();
    });
  }

  /**
   * Takes the first step at once, and returns the result when the work has no other one. The rest is run as `run` does.
   */
  begin<Result>(tenantId: string, work: PausableWork<Result>): Result | Promise<Result> {
    const { done, value } = work.next();
    return done ? value : this.run(tenantId, work);
  }

  #plan(): void {
    if (!this.#isPlanned && this.#waiting.has(this.#mayWork)) this.#turn();
  }

  readonly #mayWork = (tenantId: string): boolean => !this.#resting.has(tenantId);

  /** Takes this turn's slice. The next one is in the next turn, also for work that arrives meanwhile. */
  #turn(): void {
    this.#isPlanned = true;
    const next = () => {
      this.#isPlanned = false;
      this.#plan();
    };
    // an answer is sent, and the request that follows it arrives, in a turn without a slice
    this.#nextTurn(this.#work() === "Ended" ? () => this.#nextTurn(next) : next);
  }

  /** Works until the slice is over or one work is done, because its answer takes time in this turn, too. */
  #work(): "Ended" | "Waits" {
    const next = this.#waiting.shift(this.#mayWork);
    if (!next) return "Waits";
    const startedAt = this.#clock();
    const isDone = this.#isDone(next, startedAt + this.#sliceMs);
    if (!isDone) this.#waiting.putBack(next.tenantId, next);
    const tookMs = this.#clock() - startedAt;
    if (tookMs > this.#maxStepMs) this.#rest(next.tenantId, Math.min(tookMs * restFactor, maxRestMs));
    return isDone ? "Ended" : "Waits";
  }

  #rest(tenantId: string, ms: number): void {
    this.#resting.add(tenantId);
    this.#later(() => {
      this.#resting.delete(tenantId);
      this.#plan();
    }, ms);
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

/** This process's long work. There is one, because there is one event loop. */
export const longWork = new LongWork();
