import type { Framework } from "@factory/nuget/framework";

export interface PackageRequirement {
  packageName: string;
  range: string;
  /** The dependency group it stands in: of the groups only the nearest to the runtime counts. Without one it always does. */
  targetFramework?: string | null;
}

export interface Vulnerability {
  severity: "Low" | "Moderate" | "High" | "Critical";
  advisoryUrl: string;
}

export interface Deprecation {
  /** Legacy, CriticalBugs or Other, as in NuGet. */
  reason: string | null;
  message: string | null;
  alternatePackage: string | null;
}

export interface CatalogLibraryVersion {
  libraryVersionId: string;
  version: string;
  status: "Published" | "Deprecated" | "Retired";
  /** Empty: registered without any, so it is taken to run everywhere. */
  targetFrameworks: string[];
  dependencies: PackageRequirement[];
  /** Groups that the dependencies may not show, because they are empty: nothing is needed there. */
  dependencyGroups?: string[];
  conflictsWith: { packageName: string; range: string | null }[];
  /** Contracts that the version needs somebody in the set to offer, e.g. `messaging/v2`. */
  consumes?: string[];
  vulnerabilities?: Vulnerability[];
  deprecation?: Deprecation | null;
  /** The last runtime of its family that the version runs on. */
  maxRuntime?: string | null;
}

export interface CatalogLibrary {
  libraryId: string;
  packageName: string;
  /** `exclusive`: no two libraries of a set may offer it. */
  capabilities: { name: string; contract: string | null; exclusive?: boolean }[];
  versions: CatalogLibraryVersion[];
}

/** A package that the template's own projects reference. With `range` every version in it serves them. */
export interface TemplatePin {
  packageName: string;
  version: string;
  range?: string | null;
}

export interface TemplateVersionSide {
  semanticVersion: string;
  targetFramework: string;
  status: string;
  pins?: TemplatePin[];
  /** The arguments of the template's `sdk-version` constraint: versions, floats or ranges, any of which is enough. */
  sdkVersions?: string[];
}

export interface TemplateSide extends TemplateVersionSide {
  templateVersionId: string;
  otherVersions: TemplateVersionSide[];
}

export interface EvaluationInput {
  runtime: Framework;
  libraries: { packageName: string; version: string }[];
  template?: TemplateSide;
  /** By lower-case package name: the set, what its versions depend on, and where wanted what could replace them. */
  catalog: ReadonlyMap<string, CatalogLibrary>;
  /** What a package is that the catalog does not know; an advisory unless a tenant decides otherwise. */
  unknownLibraries?: "advisory" | "violation";
  /** The day that ends of support are counted against; without it they are not looked at. */
  now?: Date;
}

/** A change of the set. `packageName` null with ChangeVersion means the template; see `applyMove`. */
export interface Move {
  action: "ChangeVersion" | "Remove" | "Replace" | "Add" | "ChangeRuntime";
  packageName: string | null;
  fromVersion: string | null;
  toVersion: string | null;
  runtime: string | null;
  /** With Replace: the package that comes in, at `toVersion`. */
  replacedBy: string | null;
}

export interface Resolution extends Move {
  verified: boolean;
  resolvesAll: boolean;
}
