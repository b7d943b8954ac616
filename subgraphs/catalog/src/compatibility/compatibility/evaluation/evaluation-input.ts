import type { Framework } from "@factory/nuget/framework";
import type { PackageIdentity } from "@factory/nuget/package-metadata";
import type { CatalogLibrary } from "./catalog-library.js";

/** A package that the template's own projects reference. With `range`, every version in the range satisfies them. */
export interface TemplatePin {
  packageName: string;
  version: string;
  range?: string | null;
}

/** The facts about one template version that the rules read. */
export interface TemplateVersionSide {
  semanticVersion: string;
  targetFramework: string;
  status: string;
  pins?: TemplatePin[];
  /**
   * The arguments for the template's `sdk-version` constraint: versions, floating versions or ranges; one must match.
   */
  sdkVersions?: string[];
}

/** The template version under evaluation, and the template's other versions that it may change to. */
export interface TemplateSide extends TemplateVersionSide {
  templateVersionId: string;
  otherVersions: TemplateVersionSide[];
}

/** Everything an evaluation depends on. */
export interface EvaluationInput {
  runtime: Framework;
  libraries: PackageIdentity[];
  template?: TemplateSide;
  /** By package name in lower case: the set, what its versions depend on, and what may replace them. */
  catalog: ReadonlyMap<string, CatalogLibrary>;
  /** Whether a package that the catalog does not have is an advisory (the default) or a violation. */
  unknownLibraries?: "advisory" | "violation";
  /** The day for which ends of support are reported; without it they are not reported. */
  now?: Date;
}
