import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { LibraryVersionState } from "./library.states.js";

export interface PackageRange {
  packageName: string;
  /** NuGet range; null means any version. */
  range: string | null;
}

export interface PackageDependency extends PackageRange {
  /** The dependency group it stands in; without one it counts on every framework. */
  targetFramework?: string | null;
}

export interface Vulnerability {
  severity: "Low" | "Moderate" | "High" | "Critical";
  advisoryUrl: string;
}

export interface Deprecation {
  reason: "Legacy" | "CriticalBugs" | "Other";
  message: string | null;
  alternatePackage: PackageRange | null;
}

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

  /** The version in NuGet's normal form, lower case: 1.0 and 1.0.0 are one version. */
  @Property({ type: "text" })
  versionKey: string;

  @Property({ type: "text[]" })
  targetFrameworks: string[];

  @Property({ type: "json" })
  dependencies: PackageDependency[];

  /** Every framework with a dependency group of its own: an empty group says that nothing is needed there. */
  @Property({ type: "text[]", defaultRaw: "'{}'" })
  dependencyGroups: string[];

  @Property({ type: "json" })
  conflictsWith: PackageRange[];

  /** Contracts that another library of the set has to offer. */
  @Property({ type: "text[]", defaultRaw: "'{}'" })
  consumes: string[];

  @Property({ type: "text", nullable: true })
  maxRuntime: string | null;

  @Property({ type: "json", defaultRaw: "'[]'" })
  vulnerabilities: Vulnerability[];

  @Property({ type: "json", nullable: true })
  deprecation: Deprecation | null;

  @Property({ type: "text", nullable: true })
  retirementReason: string | null;

  /** The package that the version was read from, pinned; null when it was registered by hand. */
  @Property({ type: "text", nullable: true })
  resolvedRef: string | null;

  @Property({ type: "text" })
  status: LibraryVersionState;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
