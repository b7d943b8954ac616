import { CompiledFlag } from "./compiled-flag.js";
import type { FlagSettings } from "./flag-rule.js";

/** All flags of a tenant in one version, prepared for evaluations. */
export class FlagSet {
  readonly flags: readonly CompiledFlag[];
  /** About how many bytes of memory it takes. */
  readonly bytes: number;
  readonly #byKey: ReadonlyMap<string, CompiledFlag>;

  constructor(
    tenantId: string,
    /** Rises with every change of a flag of the tenant; 0 without any flag so far. */
    readonly version: number,
    settings: readonly (FlagSettings & { readonly key: string })[],
  ) {
    this.flags = settings.map((flag) => new CompiledFlag(flag.key, flag, tenantId));
    this.#byKey = new Map(this.flags.map((flag) => [flag.key, flag]));
    this.bytes = settings.reduce((sum, { rules }) => sum + bytesOf(rules), 1000);
  }

  find(key: string): CompiledFlag | undefined {
    return this.#byKey.get(key);
  }
}

const bytesOf = (rules: FlagSettings["rules"]) =>
  rules.reduce((sum, { values }) => values.reduce((bytes, value) => bytes + 50 + 2 * value.length, sum + 500), 1500);
