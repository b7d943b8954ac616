import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A deleted person whose personal data is erased from the audit log. The row is deleted after the last pass. */
@Entity(workerTable("audit_erasures"))
export class ErasureRequest {
  [PrimaryKeyProp]?: ["tenantId", "userId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("usr") })
  userId: string;

  /** The address that the person had: failed sign-ins name it. */
  @Property({ type: "text" })
  email: string;

  @Property({ type: "timestamptz" })
  requestedAt: Date;

  /** Null before the first pass. */
  @Property({ type: "timestamptz", nullable: true })
  erasedAt: Date | null;
}
