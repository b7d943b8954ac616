import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { LibraryVersionState } from "./library.states.js";

export interface PackageRange {
  packageName: string;
  /** A NuGet version range; null means any version. */
  range: string | null;
}

export interface PackageDependency extends PackageRange {
  /** Its dependency group's framework. Without one the dependency counts on every framework. */
  targetFramework?: string | null;
}

interface Vulnerability {
  severity: "Low" | "Moderate" | "High" | "Critical";
  advisoryUrl: string;
}

export interface Deprecation {
  reason: "Legacy" | "CriticalBugs" | "Other";
  message: string | null;
  alternatePackage: PackageRange | null;
}

/** The license that a package states. */
export interface PackageLicense {
  /** `Expression`: an SPDX expression. `File`: the path of a file in the package. `Url`: a page's address. */
  kind: "Expression" | "File" | "Url";
  value: string;
}

/** A library version. */
@Entity(tenantTable("library_versions"))
@Unique({ name: "library_versions_version", properties: ["tenantId", "libraryId", "versionKey"] })
export class LibraryVersion {
  [PrimaryKeyProp]?: ["tenantId", "libraryVersionId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("lbv") })
  libraryVersionId: string;

  @Property({ type: wireId("lib") })
  libraryId: string;

  @Property({ type: "text" })
  semanticVersion: string;

  /** The version in NuGet's normalized form and in lower case: 1.0 and 1.0.0 are the same version. */
  @Property({ type: "text" })
  versionKey: string;

  @Property({ type: "text[]" })
  targetFrameworks: string[];

  @Property({ type: "json" })
  dependencies: PackageDependency[];

  /** Frameworks that have a dependency group. A group may be empty: then nothing is needed on that framework. */
  @Property({ type: "text[]", defaultRaw: "'{}'" })
  dependencyGroups: string[];

  @Property({ type: "json" })
  conflictsWith: PackageRange[];

  /** Contracts that another library in the set has to offer. */
  @Property({ type: "text[]", defaultRaw: "'{}'" })
  consumes: string[];

  @Property({ type: "text", nullable: true })
  maxRuntime: string | null;

  @Property({ type: "json", defaultRaw: "'[]'" })
  vulnerabilities: Vulnerability[];

  @Property({ type: "json", nullable: true })
  deprecation: Deprecation | null;

  /** Null where it was not imported, or where its package states none. */
  @Property({ type: "json", nullable: true })
  license: PackageLicense | null;

  @Property({ type: "text", nullable: true })
  retirementReason: string | null;

  /** The exact package that the version was imported from; null when it was not imported. */
  @Property({ type: "text", nullable: true })
  resolvedRef: string | null;

  @Property({ type: "text" })
  status: LibraryVersionState;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
