import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

export interface LibraryCapability {
  name: string;
  contract: string | null;
  /** Only one library in a set may offer it. Absent in rows from before the column had this member. */
  exclusive?: boolean;
}

/** A library: a package with its capabilities. */
@Entity(tenantTable("libraries"))
@Unique({ name: "libraries_package", properties: ["tenantId", "packageKey"] })
@Index({ name: "libraries_search_stale", properties: ["tenantId"], where: "search_stale" })
@Index({ name: "libraries_by_creation", properties: ["tenantId", "createdAt", "libraryId"] })
export class Library {
  [PrimaryKeyProp]?: ["tenantId", "libraryId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("lib") })
  libraryId: string;

  @Property({ type: "text" })
  packageName: string;

  /** The package name in lower case: package names are unique ignoring case. */
  @Property({ type: "text" })
  packageKey: string;

  /** The texts from the package that was imported last. */
  @Property({ type: "text", nullable: true })
  title: string | null;

  @Property({ type: "text", nullable: true })
  description: string | null;

  @Property({ type: "text", nullable: true })
  area: string | null;

  @Property({ type: "text", nullable: true })
  owner: string | null;

  @Property({ type: "json" })
  capabilities: LibraryCapability[];

  @Property({ type: "text[]" })
  tags: string[];

  /** The names of packages that any version depends on, in lower case. */
  @Property({ type: "text[]", defaultRaw: "'{}'" })
  dependencyKeys: string[];

  /** Increases with every change to the library or a version. */
  @Property({ type: "integer", default: 0 })
  revision: number;

  @Property({ type: "text" })
  status: "Active";

  /** Whether the texts have changed since the search index read them. */
  @Property({ type: "boolean", default: true })
  searchStale: boolean;

  @Property({ type: "timestamptz", length: 3 })
  createdAt: Date;
}
