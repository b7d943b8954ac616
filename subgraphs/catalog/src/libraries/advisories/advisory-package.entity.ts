import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { AdvisorySeverity } from "./advisory-severity.js";
import type { AffectedInterval } from "./affected-versions.js";

/** A package that an advisory affects, and its affected versions. */
@Entity(tenantTable("advisory_packages"))
@Index({ name: "advisory_packages_advisory", properties: ["tenantId", "advisoryId"] })
export class AdvisoryPackage {
  [PrimaryKeyProp]?: ["tenantId", "packageKey", "advisoryId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** The package name in lower case. */
  @PrimaryKey({ type: "text" })
  packageKey: string;

  @PrimaryKey({ type: "text" })
  advisoryId: string;

  @Property({ type: "text" })
  packageName: string;

  /** Null where the advisory's severity counts. */
  @Property({ type: "text", nullable: true })
  severity: AdvisorySeverity | null;

  @Property({ type: "json" })
  intervals: AffectedInterval[];

  /** Affected versions outside the intervals. */
  @Property({ type: "text[]" })
  versions: string[];
}
