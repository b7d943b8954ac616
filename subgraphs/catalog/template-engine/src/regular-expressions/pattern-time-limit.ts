import { TimeLimitExceeded, withinTime } from "./time-limit.js";

export interface PatternLimits {
  readonly evaluationMs: number;
  /** For all evaluations of one render together. */
  readonly totalMs: number;
}

export const defaultPatternLimits: PatternLimits = { evaluationMs: 1000, totalMs: 5000 };

/** A foreign regular expression was ended. */
export class PatternTimeLimitExceeded extends Error {
  override readonly name = "PatternTimeLimitExceeded";
}

/** The time that foreign regular expressions may take: each of them, and those of one render together. */
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
      // a machine that paused is not the expression's fault
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
