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
  dependencies: PackageRange[];

  @Property({ type: "json" })
  conflictsWith: PackageRange[];

  @Property({ type: "text" })
  status: LibraryVersionState;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
