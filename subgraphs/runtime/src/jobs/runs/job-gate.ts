/** The time for runs alone in any window of 5 minutes, and so also one run's limit. */
export const aloneBudgetMs = 60_000;
const windowMs = 5 * 60_000;
/** The time that a run alone costs when its process died, since the restart stopped all other jobs. */
const deathCostMs = 20_000;
export const smallestRunMs = 15_000;
/** The time for running jobs to end before a run alone. New jobs wait meanwhile. */
const drainMs = 15_000;
/** The pause before the next attempt to run a job alone. */
const betweenDrainsMs = 60_000;

export interface AloneRun {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Absent when the process died during the run. */
  readonly endedAt?: number | undefined;
}

/**
 * The gate through which every job in the process passes. Ordinary jobs run in parallel. A job that must run alone
 * waits until they have ended and keeps new jobs waiting, for at most 60 s in any 5 minutes.
 */
export class JobGate {
  /** The time in milliseconds for runs alone in a window. */
  readonly budgetMs: number;
  /** With less time left, a run alone waits until the window has moved on. */
  readonly smallestRunMs: number;
  #running = 0;
  #closed: Promise<void> | undefined;
  #emptied: (() => void) | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #drainAfter = 0;
  #charged: { from: number; to: number }[] = [];

  constructor(budgetMs = aloneBudgetMs, smallestMs = smallestRunMs) {
    this.budgetMs = budgetMs;
    this.smallestRunMs = Math.min(smallestMs, budgetMs);
  }

  /** Resolves when an ordinary job may enter; undefined: at once. */
  get closed(): Promise<void> | undefined {
    return this.#closed;
  }

  enter(): void {
    if (this.#closed) throw new Error("The gate is closed");
    this.#running += 1;
  }

  leave(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#emptied?.();
  }

  /** Adds runs from before this process started, so that a restart does not renew the time. */
  charge({ startedAt, endedAt }: AloneRun): void {
    this.#charged.push({ from: startedAt, to: endedAt ?? startedAt + deathCostMs });
  }

  /**
   * Runs one job alone; `run` gets the milliseconds that are left. Returns false when less than the smallest time is left,
   * or when the running jobs did not end in time; try again later.
   */
  alone(neededMs: number, run: (limitMs: number) => Promise<void>): Promise<boolean> {
    const turn = this.#queue.then(() => this.#alone(neededMs, run));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #alone(neededMs: number, run: (limitMs: number) => Promise<void>): Promise<boolean> {
    if (this.#left() < neededMs || Date.now() < this.#drainAfter) return false;
    let open = () => undefined as void;
    this.#closed = new Promise<void>((resolve) => (open = resolve));
    try {
      if (!(await this.#drained())) {
        this.#drainAfter = Date.now() + betweenDrainsMs;
        return false;
      }
      const startedAt = Date.now();
      await run(this.#left()).finally(() => this.charge({ startedAt, endedAt: Date.now() }));
      return true;
    } finally {
      this.#closed = undefined;
      open();
    }
  }

  #left(): number {
    const from = Date.now() - windowMs;
    this.#charged = this.#charged.filter(({ to }) => to > from);
    const spentMs = this.#charged.reduce((sum, run) => sum + run.to - Math.max(run.from, from), 0);
    // Timers have whole milliseconds; the database counts in microseconds.
    return Math.floor(this.budgetMs - spentMs);
  }

  async #drained(): Promise<boolean> {
    if (this.#running === 0) return true;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await Promise.race([
        new Promise<true>((resolve) => (this.#emptied = () => resolve(true))),
        new Promise<false>((resolve) => (timer = setTimeout(resolve, drainMs, false))),
      ]);
    } finally {
      clearTimeout(timer);
      this.#emptied = undefined;
    }
  }
}
