import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { ScanLimit } from "@factory/schema/vocabularies/compatibility";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { LibraryReference } from "../../../libraries/libraries/library-reference.js";
import type { ScannedPackage } from "../resolution/scanned-package.js";

/** The number of vulnerabilities by severity. */
export interface VulnerabilityCounts {
  low: number;
  moderate: number;
  high: number;
  critical: number;
  /** Advisories that state no severity. */
  unrated: number;
}

/** One scan's stored result. A scan that fails stores nothing. */
@Entity(tenantTable("dependency_scans"))
@Index({ name: "dependency_scans_version", properties: ["tenantId", "templateVersionId", "dependencyScanId"] })
export class DependencyScan {
  [PrimaryKeyProp]?: ["tenantId", "dependencyScanId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("scn") })
  dependencyScanId: string;

  /** Null for a library set. */
  @Property({ type: wireId("tpv"), nullable: true })
  templateVersionId: string | null;

  /** The template's name; null for a library set. */
  @Property({ type: "text", nullable: true })
  templateName: string | null;

  @Property({ type: "text", nullable: true })
  semanticVersion: string | null;

  /** SHA-256 over everything that determines the default render; null for a library set. */
  @Property({ type: "text", nullable: true })
  renderDigest: string | null;

  @Property({ type: "text", nullable: true })
  contentDigest: string | null;

  /** The runtime for which a library set was scanned. */
  @Property({ type: "text", nullable: true })
  runtime: string | null;

  /** The library set; null for a template version. */
  @Property({ type: "json", nullable: true })
  libraries: LibraryReference[] | null;

  @Property({ type: "json" })
  packages: ScannedPackage[];

  /** The limits that were reached. */
  @Property({ type: "text[]" })
  limits: ScanLimit[];

  @Property({ type: "integer" })
  packageCount: number;

  @Property({ type: "integer" })
  unknownCount: number;

  @Property({ type: "json" })
  vulnerabilityCounts: VulnerabilityCounts;

  @Property({ type: "timestamptz" })
  scannedAt: Date;
}
