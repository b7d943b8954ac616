import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { CompatibilityAdvisoryType, CompatibilityViolationType } from "./compatibility.type.js";

/** A stored evaluation, exactly as it was answered. */
@Entity(tenantTable("compatibility_matrices"))
export class CompatibilityMatrix {
  [PrimaryKeyProp]?: ["tenantId", "matrixId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("mtx") })
  matrixId: string;

  @Property({ type: wireId("tpv"), nullable: true })
  templateVersionId: string | null;

  @Property({ type: "text" })
  runtime: string;

  @Property({ type: "json" })
  libraries: { packageName: string; version: string }[];

  @Property({ type: "boolean" })
  compatible: boolean;

  @Property({ type: "json" })
  violations: CompatibilityViolationType[];

  @Property({ type: "json" })
  advisories: CompatibilityAdvisoryType[];

  /** SHA-256 of the libraries, versions and template facts that were evaluated; null in rows from before it was kept. */
  @Property({ type: "text", nullable: true })
  snapshotDigest: string | null;

  @Property({ type: "timestamptz" })
  evaluatedAt: Date;
}
