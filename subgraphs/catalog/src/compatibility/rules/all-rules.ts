import { compareText } from "@factory/nuget/text-order";
import type { EvaluationContext } from "../evaluation/evaluation-context.js";
import { contractMismatches, exclusiveTwice } from "./capabilities.js";
import { conflicting } from "./declared-conflicts.js";
import { downgraded, missingRequirements, versionConflicts } from "./dependencies.js";
import { cyclic } from "./dependency-cycles.js";
import type { Finding } from "./finding.js";
import { unsupportedLibraries, unsupportedTemplate } from "./framework-support.js";
import { duplicated, notRegistered, retired, versionNotFound } from "./listed-versions.js";
import { type RuleName, ruleOrder } from "./rule-names.js";
import { constraintsNotMet } from "./runtime-constraints.js";
import { pinnedOtherwise } from "./template-pins.js";
import { notSettled } from "./unsettled-set.js";

const rules: Record<RuleName, (context: EvaluationContext) => Finding[]> = {
  LibraryDuplicated: duplicated,
  LibraryNotRegistered: notRegistered,
  LibraryVersionNotFound: versionNotFound,
  LibraryDoesNotSupportRuntime: unsupportedLibraries,
  TemplateDoesNotSupportRuntime: unsupportedTemplate,
  LibraryConflictsWith: conflicting,
  CapabilityConflictsWith: exclusiveTwice,
  CapabilityContractMismatch: contractMismatches,
  LibraryRequires: missingRequirements,
  LibraryDowngraded: downgraded,
  LibraryVersionConflict: versionConflicts,
  LibraryDependencyCycle: cyclic,
  LibrarySetNotSettled: notSettled,
  TemplatePinsDifferentVersion: pinnedOtherwise,
  LibraryVersionRetired: retired,
  RuntimeConstraintNotMet: constraintsNotMet,
};

/** Every broken rule of a set; all rules run. Ordered by rule, then by package. */
export function findingsOf(context: EvaluationContext): Finding[] {
  return ruleOrder.flatMap((rule) => rules[rule](context).sort(byPackage));
}

function byPackage(a: Finding, b: Finding): number {
  return compareText(a.packageName.toLowerCase(), b.packageName.toLowerCase()) || compareText(a.detail, b.detail);
}

/** Names what a finding is about, whatever its wording: the same in a set that was changed elsewhere. */
export function identityOf({ rule, subject }: Finding): string {
  return `${rule}|${subject}`;
}

/** What is broken after a change and was not before; of findings with one identity, those that are more. */
export function addedTo(before: readonly Finding[], after: readonly Finding[]): Finding[] {
  const left = new Map<string, number>();
  for (const finding of before) left.set(identityOf(finding), (left.get(identityOf(finding)) ?? 0) + 1);
  return after.filter((finding) => {
    const count = left.get(identityOf(finding)) ?? 0;
    left.set(identityOf(finding), count - 1);
    return count <= 0;
  });
}
