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

/** A compatibility rule's name. */
export type RuleName = (typeof ruleOrder)[number];

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
