/** Of runs alone in any window, hence also how long one of them may take. */
export const aloneBudgetMs = 60_000;
const windowMs = 5 * 60_000;
/** What a run alone costs when its process died of it: the restart was at everybody's expense. */
const deathCostMs = 20_000;
export const smallestRunMs = 15_000;
/** How long the jobs that run may take to make room; new ones wait meanwhile. */
const drainMs = 15_000;
/** Before they are asked again. */
const betweenDrainsMs = 60_000;

export interface AloneRun {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Absent: its process died. */
  readonly endedAt?: number | undefined;
}

/**
 * Every job of the process passes here. Ordinary jobs run beside each other; a job that runs alone waits until they
 * have ended and keeps new ones outside meanwhile, for at most 60 s in any 5 minutes.
 */
export class JobGate {
  /** Milliseconds of runs alone in the window. */
  readonly budgetMs: number;
  /** With less left, a run alone waits until the window has moved on. */
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

  /** Undefined: an ordinary job may enter at once. */
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

  /** Runs of before this process started count too: a restart does not renew the budget. */
  charge({ startedAt, endedAt }: AloneRun): void {
    this.#charged.push({ from: startedAt, to: endedAt ?? startedAt + deathCostMs });
  }

  /**
   * One at a time; `run` is told how many milliseconds of the budget there are. False: there were fewer than it needs,
   * or the running jobs did not make room; try again later.
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
    const spent = this.#charged.reduce((sum, run) => sum + run.to - Math.max(run.from, from), 0);
    // timers take whole milliseconds only, and the database counts finer
    return Math.floor(this.budgetMs - spent);
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
