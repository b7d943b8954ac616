import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { AdvisorySeverity } from "./advisory-severity.js";

/** A security advisory that a tenant has imported. */
@Entity(tenantTable("advisories"))
export class Advisory {
  [PrimaryKeyProp]?: ["tenantId", "advisoryId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** The id that its database gave it, for example `GHSA-5crp-9r3c-p9vr`. */
  @PrimaryKey({ type: "text" })
  advisoryId: string;

  @Property({ type: "text", nullable: true })
  summary: string | null;

  /** Ids for the same vulnerability in other databases. */
  @Property({ type: "text[]" })
  aliases: string[];

  /** Null where it states none. */
  @Property({ type: "text", nullable: true })
  severity: AdvisorySeverity | null;

  @Property({ type: "text", nullable: true })
  url: string | null;

  @Property({ type: "timestamptz" })
  modifiedAt: Date;

  /** A withdrawn advisory affects no package. */
  @Property({ type: "timestamptz", nullable: true })
  withdrawnAt: Date | null;

  @Property({ type: "timestamptz" })
  importedAt: Date;
}
