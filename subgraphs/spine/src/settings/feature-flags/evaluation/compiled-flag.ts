import { compileRule, type Matches, stepsOf } from "./compiled-rule.js";
import type { EvaluationContext } from "./evaluation-context.js";
import type { FlagSettings } from "./flag-rule.js";
import { Murmur3 } from "./murmur3.js";

/** The OpenFeature reasons (specification, "Resolution Reason") that an evaluation can have. */
type Reason = "DISABLED" | "TARGETING_MATCH" | "STATIC" | "SPLIT";

/** An evaluation's result. */
export type Outcome =
  | { readonly value: boolean; readonly variant: "on" | "off"; readonly reason: Reason }
  | { readonly errorCode: "TARGETING_KEY_MISSING" | "PARSE_ERROR"; readonly errorDetails: string };

const on = (reason: Reason): Outcome => ({ value: true, variant: "on", reason });
const off = (reason: Reason): Outcome => ({ value: false, variant: "off", reason });

/** Every outcome. An evaluation answers with the place in this list. */
export const outcomes: readonly Outcome[] = [
  off("DISABLED"),
  on("TARGETING_MATCH"),
  off("STATIC"),
  on("STATIC"),
  off("SPLIT"),
  on("SPLIT"),
  {
    errorCode: "TARGETING_KEY_MISSING",
    errorDetails: "The flag is for a share of the contexts, and the context has no targetingKey to choose by.",
  },
  {
    errorCode: "PARSE_ERROR",
    errorDetails: "The stored rules of the flag cannot be read. Look at the flag and save it again.",
  },
];
const [whenDisabled, match, staticOff, staticOn, splitOff, splitOn, keyMissing, unreadable] = [0, 1, 2, 3, 4, 5, 6, 7];

/** Whether an outcome is an error. */
export const isFailure = (outcome: number): boolean => outcome === keyMissing || outcome === unreadable;

/** A tenant's flag, prepared for evaluations. */
export class CompiledFlag {
  readonly key: string;
  /** One for the flag itself, and the comparisons that its rules make at most. */
  readonly steps: number;
  readonly #settings: FlagSettings;
  /** Undefined where a rule cannot be read, for example since a newer process has written it. */
  readonly #rules: readonly Matches[] | undefined;
  readonly #hash: Murmur3;
  readonly #tenantBytes: Uint8Array;
  readonly #texts: (string | undefined)[] = outcomes.map(() => undefined);

  constructor(key: string, settings: FlagSettings, tenantId: string) {
    this.key = key;
    this.#settings = settings;
    const rules = compiledRules(settings);
    this.#rules = rules?.rules;
    this.steps = settings.enabled && rules ? rules.steps + 1 : 1;
    this.#hash = new Murmur3(Buffer.from(`${key}:`));
    this.#tenantBytes = Buffer.from(tenantId);
  }

  /** The place in `outcomes`. A disabled flag is off for everybody; a matching rule beats the percentage. */
  evaluate(context: EvaluationContext): number {
    const { enabled, rolloutPercentage, stickiness } = this.#settings;
    if (!enabled) return whenDisabled;
    if (!this.#rules) return unreadable;
    for (const matches of this.#rules) if (matches(context)) return match;
    if (rolloutPercentage <= 0) return staticOff;
    if (rolloutPercentage >= 100) return staticOn;
    const stickyId = stickiness === "tenant" ? this.#tenantBytes : context.targetingBytes;
    if (stickyId.length === 0) return keyMissing;
    return this.bucket(stickyId) <= rolloutPercentage ? splitOn : splitOff;
  }

  /** 1 to 100: the share at which this id gets the flag. It depends on the key and the id alone. */
  bucket(stickyId: Uint8Array): number {
    return (this.#hash.of(stickyId) % 100) + 1;
  }

  /** The outcome as OFREP's JSON text. */
  textOf(outcome: number): string {
    return (this.#texts[outcome] ??= JSON.stringify({ key: this.key, ...outcomes[outcome] }));
  }
}

/** Undefined where one rule cannot be read. The tenant's other flags do not depend on it. */
function compiledRules({ rules }: FlagSettings): { rules: readonly Matches[]; steps: number } | undefined {
  try {
    return { rules: rules.map(compileRule), steps: rules.reduce((sum, rule) => sum + stepsOf(rule), 0) };
  } catch {
    return undefined;
  }
}
