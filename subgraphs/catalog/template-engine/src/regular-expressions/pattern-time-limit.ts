import { TimeLimitExceeded, withinTime } from "./time-limit.js";

/** Time limits for regular expressions, in milliseconds. */
export interface PatternLimits {
  readonly evaluationMs: number;
  /** The limit for all evaluations in one render together. */
  readonly totalMs: number;
}

const defaultPatternLimits: PatternLimits = { evaluationMs: 1000, totalMs: 5000 };

/** A regular expression was ended at its time limit. */
export class PatternTimeLimitExceeded extends Error {
  override readonly name = "PatternTimeLimitExceeded";
}

/** Runs foreign regular expressions under a time limit for each one and for all together. */
export class PatternTimeLimit {
  readonly #limits: PatternLimits;
  #spentMs = 0;

  constructor(limits: PatternLimits = defaultPatternLimits) {
    this.#limits = limits;
  }

  run<T>(evaluate: () => T): T {
    const { evaluationMs } = this.#limits;
    const cpu = process.threadCpuUsage();
    try {
      return this.#evaluate(evaluate);
    } catch (error) {
      if (!(error instanceof TimeLimitExceeded)) throw error;
      const { user, system } = process.threadCpuUsage(cpu);
      // without CPU time the machine had paused, so the expression gets a second try
      if ((user + system) / 1000 > evaluationMs / 4) throw this.#exceeded();
    }
    try {
      return this.#evaluate(evaluate);
    } catch (error) {
      throw error instanceof TimeLimitExceeded ? this.#exceeded() : error;
    }
  }

  #evaluate<T>(evaluate: () => T): T {
    const { evaluationMs, totalMs } = this.#limits;
    const leftMs = totalMs - this.#spentMs;
    if (leftMs <= 0) throw this.#exceeded();
    const startedAt = performance.now();
    try {
      return withinTime(Math.min(evaluationMs, leftMs), evaluate);
    } finally {
      this.#spentMs += performance.now() - startedAt;
    }
  }

  #exceeded(): PatternTimeLimitExceeded {
    const { evaluationMs, totalMs } = this.#limits;
    return new PatternTimeLimitExceeded(
      this.#spentMs >= totalMs
        ? `all regular expressions together took more than ${totalMs} ms`
        : `it took more than ${evaluationMs} ms`,
    );
  }
}
