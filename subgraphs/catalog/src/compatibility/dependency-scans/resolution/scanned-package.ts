import type { AdvisorySeverity } from "../../../libraries/advisories/advisory-severity.js";

/** A package's known vulnerability. */
export interface ScannedVulnerability {
  /** Null for one that was registered with the library version. */
  readonly advisoryId: string | null;
  /** Null where the advisory states none. */
  readonly severity: AdvisorySeverity | null;
  readonly summary: string | null;
  readonly aliases: readonly string[];
  readonly url: string | null;
  readonly fixedVersions: readonly string[];
}

/** A package in a scan's result, as it is stored. */
export interface ScannedPackage {
  /** Names the package inside its scan. */
  readonly ref: string;
  readonly packageName: string;
  /** Null where the catalog cannot say which version a restore takes. */
  readonly version: string | null;
  /** The version or range that asks for an unknown version; null where the version is known. */
  readonly requested: string | null;
  /** Whether a project or the request itself names it. */
  readonly direct: boolean;
  /** The frameworks in the projects that use it. */
  readonly frameworks: readonly string[];
  readonly status: "Published" | "Deprecated" | "Retired" | "Unknown";
  readonly libraryVersionId: string | null;
  readonly license: { readonly kind: "Expression" | "File" | "Url"; readonly value: string } | null;
  readonly vulnerabilities: readonly ScannedVulnerability[];
  /** The `ref` for each package that it depends on. */
  readonly dependsOn: readonly string[];
}
