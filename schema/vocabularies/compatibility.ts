import { type ValueOf, vocabulary } from "./vocabulary.js";

/** In the order in which violations are listed. */
export const compatibilityRules = vocabulary("CompatibilityRule", "The rules that a set of libraries has to satisfy.", {
  LibraryDuplicated: "The set names a package twice.",
  LibraryNotRegistered: "The catalog does not have the package.",
  LibraryVersionNotFound: "The catalog does not have this version of the package.",
  LibraryDoesNotSupportRuntime: "A project of this framework cannot use the version.",
  TemplateDoesNotSupportRuntime: "The template version does not support the framework.",
  LibraryConflictsWith: "A version excludes another package of the set.",
  CapabilityConflictsWith: "Two libraries offer a capability that only one library of a set may offer.",
  CapabilityContractMismatch: "No library of the set offers a contract that another one consumes.",
  LibraryRequires: "A dependency is not in the set.",
  LibraryDowngraded: "The set has a lower version of a package than a dependency asks for.",
  LibraryVersionConflict: "Two dependencies ask for versions of one package that do not fit each other.",
  LibraryDependencyCycle: "Packages depend on each other in a circle.",
  LibrarySetNotSettled:
    "The versions of transitive dependencies change one another without end, so it is not known which versions a restore takes.",
  TemplatePinsDifferentVersion: "The template version fixes another version of the package.",
  LibraryVersionRetired: "The version is retired.",
  RuntimeConstraintNotMet: "The framework is newer than a version runs on, or than the SDK of the template can build.",
});
export type CompatibilityRule = ValueOf<typeof compatibilityRules>;

export const compatibilityActions = vocabulary("CompatibilityAction", "The changes that can resolve a violation.", {
  ChangeVersion: "Use `toVersion` of the package, or of the template where packageName is null.",
  Remove: "Remove the package from the set.",
  Replace: "Use the package `replacedBy` in its place.",
  Add: "Add the package to the set.",
  ChangeRuntime: "Use the framework `runtime`.",
});
export type CompatibilityAction = ValueOf<typeof compatibilityActions>;

export const scannedPackageStatuses = vocabulary(
  "ScannedPackageStatus",
  "The states of a scanned package's version in the catalog.",
  {
    Published: "Projects can use the version.",
    Deprecated: "Projects can still use the version, with a note.",
    Retired: "The version is recalled.",
    Unknown: "The catalog does not have the version.",
  },
);
export type ScannedPackageStatus = ValueOf<typeof scannedPackageStatuses>;

export const scanLimits = vocabulary("ScanLimit", "The limits that a dependency scan can reach.", {
  Projects: "There are too many projects, or too many frameworks in one project.",
  Files: "Project files are not well-formed, or only a build can find what they import.",
  Conditions: "Conditions of project files are too many, or cannot be evaluated.",
  Names: "The name of a package is not known before a build.",
  References: "The projects have too many package references.",
  Packages: "There are too many packages.",
  Dependencies: "The packages have too many dependencies.",
  Depth: "A chain of dependencies is too long.",
  Libraries: "The catalog has too many libraries.",
  Advisories: "The packages have too many advisories.",
  Size: "The result is too large to be stored.",
});
export type ScanLimit = ValueOf<typeof scanLimits>;
