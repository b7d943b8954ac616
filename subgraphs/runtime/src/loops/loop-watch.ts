import type { Logger } from "../telemetry/logger.js";

const tickMs = 1000;
/** How much later than its period a loop may be, and then how long its restart may take to help. */
const patienceMs = 60_000;

export interface BackgroundLoop {
  readonly name: string;
  /** The longest time from one turn's end to the next while nothing is wrong. */
  readonly periodMs: number;
  readonly logger: Logger;
  /** Gives up the turn that does not end, and begins a new one. */
  restart(): void;
}

/** A loop that is late. It was restarted, and no turn has ended since. */
interface LateLoop {
  readonly name: string;
  readonly lateMs: number;
  /** Whether a restart has not helped for a minute. */
  readonly isStuck: boolean;
}

/** A loop as its owner sees it. */
export interface WatchedLoop {
  /** Reports that a turn ended, or progress in a long one. */
  turned(): void;
  /** Work with its own time limit does not count as late. */
  during<T>(work: () => Promise<T>): Promise<T>;
  leave(): void;
}

/**
 * Restarts background loops whose turn does not end, for example because a connection went silent. Time counts only while
 * the event loop turns.
 */
export class LoopWatch {
  readonly #entries = new Set<Entry>();
  readonly #restarts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  add(loop: BackgroundLoop): WatchedLoop {
    const entry = new Entry(loop);
    this.#entries.add(entry);
    this.#restarts.set(loop.name, this.#restarts.get(loop.name) ?? 0);
    this.#timer ??= this.#start();
    return {
      turned: () => entry.turned(),
      during: (work) => entry.during(work),
      leave: () => {
        this.#entries.delete(entry);
        if (this.#entries.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  get late(): LateLoop[] {
    return [...this.#entries].flatMap((entry) => entry.late ?? []);
  }

  /** Each loop's restarts since the process started. */
  get restarts(): ReadonlyMap<string, number> {
    return this.#restarts;
  }

  /** The time since each loop's last turn; the longest where loops share a name. */
  get idleMs(): ReadonlyMap<string, number> {
    const idle = new Map<string, number>();
    for (const { loop, idleMs } of this.#entries) idle.set(loop.name, Math.max(idleMs, idle.get(loop.name) ?? 0));
    return idle;
  }

  /** Lets so much time pass for all loops. */
  pass(ms: number): void {
    for (const entry of this.#entries)
      if (entry.pass(ms)) this.#restarts.set(entry.loop.name, (this.#restarts.get(entry.loop.name) ?? 0) + 1);
  }

  #start(): NodeJS.Timeout {
    let last = performance.now();
    return setInterval(() => {
      const now = performance.now();
      this.pass(Math.min(now - last, 2 * tickMs));
      last = now;
    }, tickMs).unref();
  }
}

class Entry {
  readonly loop: BackgroundLoop;
  idleMs = 0;
  #longWork = 0;
  /** The idle time at the last restart. */
  #restartedAtMs: number | undefined;
  #isStuck = false;

  constructor(loop: BackgroundLoop) {
    this.loop = loop;
  }

  get late(): LateLoop | undefined {
    if (this.#restartedAtMs === undefined) return undefined;
    const { name, periodMs } = this.loop;
    return { name, lateMs: this.idleMs - periodMs, isStuck: this.#isStuck };
  }

  /** Whether the loop was late, and was restarted. It is restarted again each minute. */
  pass(ms: number): boolean {
    if (this.#longWork > 0) return false;
    this.idleMs += ms;
    const { name, periodMs, logger } = this.loop;
    const sinceMs = this.idleMs - (this.#restartedAtMs ?? periodMs);
    if (sinceMs <= patienceMs) return false;
    const idleSeconds = Math.round(this.idleMs / 1000);
    logger.error({ loop: name, idleSeconds }, "a background loop does not turn and is restarted");
    this.#isStuck = this.#restartedAtMs !== undefined;
    this.#restartedAtMs = this.idleMs;
    this.loop.restart();
    return true;
  }

  turned(): void {
    if (this.#restartedAtMs !== undefined)
      this.loop.logger.warn({ loop: this.loop.name }, "a background loop turns again");
    this.idleMs = 0;
    this.#restartedAtMs = undefined;
    this.#isStuck = false;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#longWork += 1;
    try {
      return await work();
    } finally {
      this.#longWork -= 1;
      this.turned();
    }
  }
}

/** This process's background loops. */
export const loopWatch = new LoopWatch();
