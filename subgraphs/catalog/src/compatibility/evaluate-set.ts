import { type Advisory, advisoriesOf } from "./evaluate-advisories.js";
import { findingsOf } from "./evaluate-findings.js";
import type { EvaluationInput, Resolution } from "./evaluate-input.js";
import { situationOf } from "./evaluate-situation.js";
import { Snapshot } from "./evaluate-snapshot.js";
import { SuggestionSearch } from "./evaluate-suggestion.js";
import type { RuleName } from "./rules.js";

export type { TemplateSide } from "./evaluate-input.js";

export interface Violation {
  rule: RuleName;
  detail: string;
  /** Never empty: a change that was tried, or the honest word that none was found. */
  suggestedResolution: string;
  resolution: Resolution | null;
}

export interface Evaluation {
  compatible: boolean;
  violations: Violation[];
  advisories: Advisory[];
}

/** Evaluates a set of libraries, and a template with it, over a snapshot of the catalog. */
export function evaluateSet(input: EvaluationInput): Evaluation {
  const snapshot = new Snapshot(input.catalog);
  const situation = situationOf(input, snapshot);
  const findings = findingsOf(situation);
  const search = new SuggestionSearch(situation, findings);
  const violations = findings.map((finding) => ({
    rule: finding.rule,
    detail: finding.detail,
    ...search.suggest(finding),
  }));
  return { compatible: violations.length === 0, violations, advisories: advisoriesOf(situation) };
}
