import type { PausableWork } from "@factory/runtime/threads/long-work";
import { CompiledFlag } from "./compiled-flag.js";
import type { EvaluationContext } from "./evaluation-context.js";
import type { FlagSettings } from "./flag-rule.js";

/** An evaluation of all flags may pause after about as many steps: a small part of a millisecond. */
const stepsBetweenPauses = 100;

type NamedFlag = FlagSettings & { readonly key: string };

/** A tenant's flags in one version, prepared for evaluations. */
export class FlagSet {
  readonly flags: readonly CompiledFlag[];
  /** The sum of all flags' steps. */
  readonly steps: number;
  /** About how many bytes it takes in memory. */
  readonly bytes: number;
  readonly #byKey: ReadonlyMap<string, CompiledFlag>;

  constructor(
    tenantId: string,
    /** Rises with every change to a tenant's flag; 0 without any flag so far. */
    readonly version: number,
    settings: readonly NamedFlag[],
    flags: readonly CompiledFlag[] = settings.map((flag) => new CompiledFlag(flag.key, flag, tenantId)),
  ) {
    this.flags = flags;
    this.#byKey = new Map(this.flags.map((flag) => [flag.key, flag]));
    this.steps = this.flags.reduce((sum, { steps }) => sum + steps, 0);
    // their texts tell the size also for rules that cannot be read
    this.bytes = settings.reduce((sum, { rules }) => sum + 1500 + 2 * JSON.stringify(rules ?? null).length, 1000);
  }

  find(key: string): CompiledFlag | undefined {
    return this.#byKey.get(key);
  }
}

/** Prepares a tenant's flags with pauses. A change to one flag prepares all flags again. */
export function* preparingFlags(
  tenantId: string,
  version: number,
  settings: readonly NamedFlag[],
): PausableWork<FlagSet> {
  const flags: CompiledFlag[] = [];
  for (const flag of settings) {
    flags.push(new CompiledFlag(flag.key, flag, tenantId));
    yield;
  }
  return new FlagSet(tenantId, version, settings, flags);
}

/** Each flag's outcome, in their order. */
export function* outcomesOf({ flags }: FlagSet, context: EvaluationContext): PausableWork<Uint8Array> {
  const outcomes = new Uint8Array(flags.length);
  let steps = 0;
  // an iterator over entries would cost a tenth of the evaluation
  for (let at = 0; at < flags.length; at += 1) {
    outcomes[at] = flags[at]?.evaluate(context) ?? 0;
    steps += flags[at]?.steps ?? 0;
    if (steps < stepsBetweenPauses) continue;
    steps = 0;
    yield;
  }
  return outcomes;
}
