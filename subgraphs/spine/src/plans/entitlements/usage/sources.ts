import type { TenantStatement } from "@factory/runtime/db/tenant-statement";

/** A statement that returns one row with the member `usage`. */
type UsageSource = TenantStatement;

/**
 * Features whose usage is not counted by consumption. A slice registers the statement that counts its own rows; usage
 * that another subgraph counts is unknown here.
 */
export class UsageSources {
  readonly #statements = new Map<string, UsageSource>();

  constructor(readonly countedElsewhere: ReadonlySet<string>) {}

  add(featureKey: string, source: UsageSource): void {
    this.#statements.set(featureKey, source);
  }

  find(featureKey: string): UsageSource | undefined {
    return this.#statements.get(featureKey);
  }

  /** Whether callers count the feature by consumption. */
  isConsumable(featureKey: string): boolean {
    return !this.#statements.has(featureKey) && !this.countedElsewhere.has(featureKey);
  }
}
