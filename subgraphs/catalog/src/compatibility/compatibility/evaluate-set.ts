import { PackageSnapshot } from "@factory/nuget/package-snapshot";
import { doAtOnce, type PausableWork } from "@factory/runtime/threads/long-work";
import { SuggestionSearch } from "./advice/suggestion-search.js";
import { evaluationContext } from "./evaluation/evaluation-context.js";
import type { EvaluationInput } from "./evaluation/evaluation-input.js";
import type { Resolution } from "./moves/move.js";
import { findAdvisories, type SetAdvisory } from "./rules/advisories.js";
import { findingsOf } from "./rules/all-rules.js";
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
  advisories: SetAdvisory[];
}

interface CountedEvaluation extends Evaluation {
  /** The packages, dependencies and findings in all sets that were evaluated for the answer. */
  readonly steps: number;
}

/** Evaluates a library set, and optionally a template version, over a snapshot of the catalog. Pure. */
export function* evaluation(input: EvaluationInput): PausableWork<CountedEvaluation> {
  const snapshot = new PackageSnapshot(input.catalog);
  const context = yield* evaluationContext(input, snapshot);
  yield;
  const findings = yield* findingsOf(context);
  const search = new SuggestionSearch(context, findings);
  const violations: Violation[] = [];
  for (const finding of findings) {
    const suggestion = yield* search.suggest(finding);
    violations.push({ rule: finding.rule, detail: finding.detail, ...suggestion });
  }
  const advisories = findAdvisories(context);
  return { compatible: violations.length === 0, violations, advisories, steps: search.steps };
}

/** Evaluates without a pause. */
export function evaluateSet(input: EvaluationInput): Evaluation {
  const { steps: _, ...answer } = doAtOnce(evaluation(input));
  return answer;
}
