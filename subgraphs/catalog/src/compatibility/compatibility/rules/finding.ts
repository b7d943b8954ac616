import type { Move } from "../moves/move.js";
import type { RuleName } from "./rule-names.js";

/** A broken rule, and the moves that may resolve it: in groups, the preferred group first. */
export interface Finding {
  readonly rule: RuleName;
  /** The listed version or the package pair. Findings with one rule and subject are the same finding in two sets. */
  readonly subject: string;
  readonly packageName: string;
  readonly detail: string;
  readonly moves: () => Move[][];
}
