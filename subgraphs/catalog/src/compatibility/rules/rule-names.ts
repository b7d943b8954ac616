/** The compatibility rules in the order in which violations are listed. */
export const ruleOrder = [
  "LibraryDuplicated",
  "LibraryNotRegistered",
  "LibraryVersionNotFound",
  "LibraryDoesNotSupportRuntime",
  "TemplateDoesNotSupportRuntime",
  "LibraryConflictsWith",
  "CapabilityConflictsWith",
  "CapabilityContractMismatch",
  "LibraryRequires",
  "LibraryDowngraded",
  "LibraryVersionConflict",
  "LibraryDependencyCycle",
  "LibrarySetNotSettled",
  "TemplatePinsDifferentVersion",
  "LibraryVersionRetired",
  "RuntimeConstraintNotMet",
] as const;

export type RuleName = (typeof ruleOrder)[number];

/** What is worth knowing about a set and never makes it incompatible. */
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
