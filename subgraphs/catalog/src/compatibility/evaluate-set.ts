import { PackageSnapshot } from "@factory/nuget/package-snapshot";
import { SuggestionSearch } from "./advice/suggestion-search.js";
import { createEvaluationContext } from "./evaluation/evaluation-context.js";
import type { EvaluationInput } from "./evaluation/evaluation-input.js";
import type { Resolution } from "./moves/move.js";
import { type Advisory, findAdvisories } from "./rules/advisories.js";
import { evaluateRules } from "./rules/all-rules.js";
import type { RuleName } from "./rules/rule-names.js";

export interface Violation {
  rule: RuleName;
  detail: string;
  /** Never empty: a move that was evaluated, or the statement that none was found. */
  suggestedResolution: string;
  resolution: Resolution | null;
}

export interface Evaluation {
  compatible: boolean;
  violations: Violation[];
  advisories: Advisory[];
}

/** Evaluates a set of libraries, and optionally a template version, over a snapshot of the catalog. Pure. */
export function evaluateSet(input: EvaluationInput): Evaluation {
  const snapshot = new PackageSnapshot(input.catalog);
  const context = createEvaluationContext(input, snapshot);
  const findings = evaluateRules(context);
  const search = new SuggestionSearch(context, findings);
  const violations = findings.map((finding) => ({
    rule: finding.rule,
    detail: finding.detail,
    ...search.suggest(finding),
  }));
  return { compatible: violations.length === 0, violations, advisories: findAdvisories(context) };
}
