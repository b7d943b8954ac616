import { type ValueOf, vocabulary } from "./vocabulary.js";

export const libraryStatuses = vocabulary("LibraryStatus", "The states of a library.", {
  Active: "The library takes new versions.",
});
export type LibraryStatus = ValueOf<typeof libraryStatuses>;

export const libraryVersionStatuses = vocabulary("LibraryVersionStatus", "The states of a library version.", {
  Registered: "The version is recorded, and projects cannot use it yet.",
  Published: "Projects can use the version.",
  Deprecated: "Projects can still use the version, with a note.",
  Retired: "The version is recalled: a set that holds it is incompatible.",
});
export type LibraryVersionStatus = ValueOf<typeof libraryVersionStatuses>;

export const deprecationReasons = vocabulary("DeprecationReason", "The reasons for a deprecation, as in NuGet.", {
  Legacy: "The version is not maintained any more.",
  CriticalBugs: "The version has bugs for which it should not be used.",
  Other: "Another reason. The message may name it.",
});
export type DeprecationReason = ValueOf<typeof deprecationReasons>;

export const packageLicenseKinds = vocabulary("PackageLicenseKind", "The forms in which a package names its license.", {
  Expression: "An SPDX expression.",
  File: "A file of the package.",
  Url: "The address of a page.",
});
export type PackageLicenseKind = ValueOf<typeof packageLicenseKinds>;

export const vulnerabilitySeverities = vocabulary("VulnerabilitySeverity", "The severities of a vulnerability.", {
  Low: "A CVSS score below 4.",
  Moderate: "A CVSS score from 4 to below 7.",
  High: "A CVSS score from 7 to below 9.",
  Critical: "A CVSS score from 9.",
});
export type VulnerabilitySeverity = ValueOf<typeof vulnerabilitySeverities>;

export const librarySearchSources = vocabulary("LibrarySearchSource", "The kinds of results of a library search.", {
  Library: "A library of the catalog.",
  ApiClient: "The API client of a registered provider.",
});
export type LibrarySearchSource = ValueOf<typeof librarySearchSources>;

export const libraryMatches = vocabulary("LibraryMatch", "How a result fits the capability that was searched for.", {
  Listed: "The search names no capability, so every library is listed.",
  ExactName: "A capability has exactly this name.",
  ExactContract: "A capability has exactly this contract.",
  NamePrefix: "The name of a capability begins with the text.",
  AllTokens: "A capability has all words of the text.",
  TokenPrefix: "As AllTokens, but the last word is only the beginning of a word of the capability.",
  SimilarToken: "As AllTokens, but one word differs in one letter. It counts where no capability fits better.",
});
export type LibraryMatch = ValueOf<typeof libraryMatches>;

export const versionJumps = vocabulary("VersionJump", "The parts of a version number that an upgrade changes.", {
  Major: "The major version changes.",
  Minor: "The minor version changes, and the major version stays.",
  Patch: "Only the patch version changes.",
  Prerelease: "Only the prerelease label changes.",
});
export type VersionJump = ValueOf<typeof versionJumps>;
