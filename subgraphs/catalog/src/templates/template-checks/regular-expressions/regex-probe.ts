import { TimeLimitExceeded, withinTime } from "@factory/template-engine/time-limit";
import { pumpedTexts } from "./pumped-texts.js";

/** The times that a harmless match may take on a machine under load. */
const standardLimits = { suspicionMs: 150, certaintyMs: 600 };
/** The limit for all expressions in one template or schema. After it the remaining expressions are not tried. */
const maxTotalMs = 6000;

/** Runs regular expressions on texts that make them backtrack, and ends each match at a time limit. */
export class RegexProbe {
  readonly #endsAt = performance.now() + maxTotalMs;
  readonly #limits: typeof standardLimits;

  constructor(limits = standardLimits) {
    this.#limits = limits;
  }

  isSlow(expression: RegExp): boolean {
    const { suspicionMs, certaintyMs } = this.#limits;
    const probe = new RegExp(expression.source, expression.flags.replace("g", ""));
    return pumpedTexts(probe.source).some(
      (text) =>
        performance.now() < this.#endsAt &&
        exceedsTime(probe, text, suspicionMs) &&
        // a second try, since the machine may have paused in the first one
        exceedsTime(probe, text, certaintyMs),
    );
  }
}

function exceedsTime(expression: RegExp, text: string, limitMs: number): boolean {
  try {
    withinTime(limitMs, () => expression.test(text));
    return false;
  } catch (error) {
    if (error instanceof TimeLimitExceeded) return true;
    throw error;
  }
}
