import { compareText } from "@factory/nuget/text-order";
import { doAtOnce, type PausableWork } from "@factory/runtime/threads/long-work";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import { findContractMismatches, findExclusiveConflicts } from "./capabilities.js";
import { findDeclaredConflicts } from "./declared-conflicts.js";
import { findDowngrades, findMissingDependencies, findVersionConflicts } from "./dependencies.js";
import { findDependencyCycles } from "./dependency-cycles.js";
import type { Finding } from "./finding.js";
import { findUnsupportedLibraries, findUnsupportedTemplate } from "./framework-support.js";
import { findDuplicates, findRetired, findUnknownVersions, findUnregistered } from "./listed-versions.js";
import { type RuleName, ruleOrder } from "./rule-names.js";
import { findUnmetConstraints } from "./runtime-constraints.js";
import { findDifferentPins } from "./template-pins.js";
import { findUnsettled } from "./unsettled-set.js";

type Rule = (context: EvaluationContext) => Finding[] | PausableWork<Finding[]>;

const rules: Record<RuleName, Rule> = {
  LibraryDuplicated: findDuplicates,
  LibraryNotRegistered: findUnregistered,
  LibraryVersionNotFound: findUnknownVersions,
  LibraryDoesNotSupportRuntime: findUnsupportedLibraries,
  TemplateDoesNotSupportRuntime: findUnsupportedTemplate,
  LibraryConflictsWith: findDeclaredConflicts,
  CapabilityConflictsWith: findExclusiveConflicts,
  CapabilityContractMismatch: findContractMismatches,
  LibraryRequires: findMissingDependencies,
  LibraryDowngraded: findDowngrades,
  LibraryVersionConflict: findVersionConflicts,
  LibraryDependencyCycle: findDependencyCycles,
  LibrarySetNotSettled: findUnsettled,
  TemplatePinsDifferentVersion: findDifferentPins,
  LibraryVersionRetired: findRetired,
  RuntimeConstraintNotMet: findUnmetConstraints,
};

/** The findings of all rules, ordered by rule, then by package. */
export function* findingsOf(context: EvaluationContext): PausableWork<Finding[]> {
  const findings: Finding[] = [];
  for (const rule of ruleOrder) {
    const ruleResult = rules[rule](context);
    for (const finding of inOrder(Array.isArray(ruleResult) ? ruleResult : yield* ruleResult)) findings.push(finding);
    yield;
  }
  return findings;
}

/** Runs all rules without a pause. */
export const evaluateRules = (context: EvaluationContext): Finding[] => doAtOnce(findingsOf(context));

function inOrder(findings: readonly Finding[]): Finding[] {
  return findings
    .map((finding) => ({ finding, key: finding.packageName.toLowerCase() }))
    .sort((a, b) => compareText(a.key, b.key) || compareText(a.finding.detail, b.finding.detail))
    .map(({ finding }) => finding);
}

/** Identifies a finding by its rule and subject, so that it can be found again in a changed set. */
export function findingIdentity({ rule, subject }: Finding): string {
  return `${rule}|${subject}`;
}

/** The findings after a change that were not there before. Findings with one identity are counted. */
export function newFindings(before: readonly Finding[], after: readonly Finding[]): Finding[] {
  const remainingCounts = new Map<string, number>();
  for (const finding of before)
    remainingCounts.set(findingIdentity(finding), (remainingCounts.get(findingIdentity(finding)) ?? 0) + 1);
  return after.filter((finding) => {
    const count = remainingCounts.get(findingIdentity(finding)) ?? 0;
    remainingCounts.set(findingIdentity(finding), count - 1);
    return count <= 0;
  });
}
