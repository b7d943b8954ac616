/** A package and one of its versions, both as texts. */
export interface PackageIdentity {
  packageName: string;
  version: string;
}

/** A dependency as a package declares it. */
export interface PackageRequirement {
  packageName: string;
  /** A NuGet version range. */
  range: string;
  /** Its dependency group's framework. Without one the dependency counts on every framework. */
  targetFramework?: string | null;
}

/** One package version as a feed or a registry describes it. */
export interface PackageVersionMetadata {
  version: string;
  /** A Retired version is never chosen for a dependency. */
  status: "Published" | "Deprecated" | "Retired";
  /** When the list is empty, the version is taken to run on every framework. */
  targetFrameworks: string[];
  dependencies: PackageRequirement[];
  /** Frameworks whose dependency groups may be empty: on them the version depends on nothing. */
  dependencyGroups?: string[];
}

/** A package with its versions. Callers may extend both types; a `Release` leads back to what they gave. */
export interface PackageMetadata {
  packageName: string;
  versions: PackageVersionMetadata[];
}
