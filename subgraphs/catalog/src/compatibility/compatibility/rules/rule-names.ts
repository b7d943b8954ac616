import { type CompatibilityRule, compatibilityRules } from "@factory/schema/vocabularies/compatibility";
import { valuesOf } from "@factory/schema/vocabularies/vocabulary";
/** The compatibility rules in the order in which violations are listed. */
export const ruleOrder = valuesOf(compatibilityRules);

/** A compatibility rule's name. */
export type RuleName = CompatibilityRule;

/** The codes for notes that never make a set incompatible. */
export type AdvisoryCode =
  | "LibraryUnknown"
  | "LibraryVersionUnknown"
  | "LibraryVersionDeprecated"
  | "LibraryVersionPrerelease"
  | "LibraryVulnerable"
  | "RuntimeEndOfLife"
  | "TargetFallbackUsed"
  | "TemplateVersionDeprecated"
  | "TemplateVersionDraft";
