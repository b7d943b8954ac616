import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A recovery code that was not used yet. A used code is deleted, and a new set replaces the former one. */
@Entity(tenantTable("recovery_codes"))
export class RecoveryCode {
  [PrimaryKeyProp]?: ["tenantId", "userId", "codeDigest"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("usr") })
  userId: string;

  /** SHA-256 of the user's id and the code, hex. */
  @PrimaryKey({ type: "text" })
  codeDigest: string;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
