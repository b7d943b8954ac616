/** The part by which a check's time differs from the interval, so that checks do not come together. */
const jitter = 0.1;
const dayMs = 86_400_000;

/** When connections are checked. */
export class ProbeTimes {
  readonly clock: () => Date;
  readonly intervalMs: number;
  readonly #random: () => number;

  constructor(clock: () => Date, intervalMs: number, random: () => number = Math.random) {
    this.clock = clock;
    this.intervalMs = intervalMs;
    this.#random = random;
  }

  /** When the next check is due. */
  next(now: Date): Date {
    return new Date(now.getTime() + this.#jittered(this.intervalMs));
  }

  /** A connection that cannot be checked is looked at once a day, since its provider may get a probe. */
  nextOfUnknown(now: Date): Date {
    return new Date(now.getTime() + this.#jittered(Math.max(this.intervalMs, dayMs)));
  }

  #jittered(ms: number): number {
    return ms * (1 - jitter + 2 * jitter * this.#random());
  }
}
