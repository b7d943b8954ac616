import type { Framework } from "../nuget/framework.js";

export interface PackageRequirement {
  packageName: string;
  range: string;
}

export interface CatalogLibraryVersion {
  libraryVersionId: string;
  version: string;
  status: "Published" | "Deprecated" | "Retired";
  /** Empty: registered without any, so it is taken to run everywhere. */
  targetFrameworks: string[];
  dependencies: PackageRequirement[];
  conflictsWith: { packageName: string; range: string | null }[];
}

export interface CatalogLibrary {
  libraryId: string;
  packageName: string;
  capabilities: { name: string; contract: string | null }[];
  versions: CatalogLibraryVersion[];
}

export interface TemplateVersionSide {
  semanticVersion: string;
  targetFramework: string;
  status: string;
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
