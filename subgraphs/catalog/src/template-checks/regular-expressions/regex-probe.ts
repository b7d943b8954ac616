import { TimeLimitExceeded, withinTime } from "@factory/template-engine/time-limit";
import { pumpedTexts } from "./pumped-texts.js";

/** How long a machine under load may need for a harmless match. */
const standardLimits = { suspicionMs: 150, certaintyMs: 600 };
/** For all expressions of one template or schema; what is left then goes untried. */
const maxTotalMs = 6000;

/** Tries expressions on texts made to let them backtrack. The engine ends a match that overruns. */
export class RegexProbe {
  readonly #endsAt = performance.now() + maxTotalMs;
  readonly #limits: typeof standardLimits;

  constructor(limits = standardLimits) {
    this.#limits = limits;
  }

  isSlow(expression: RegExp): boolean {
    const { suspicionMs, certaintyMs } = this.#limits;
    const tried = new RegExp(expression.source, expression.flags.replace("g", ""));
    return pumpedTexts(tried.source).some(
      (text) =>
        performance.now() < this.#endsAt &&
        exceedsTime(tried, text, suspicionMs) &&
        // once more, so that a pause of the machine is not the expression's fault
        exceedsTime(tried, text, certaintyMs),
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
