import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A user's authenticator app (RFC 6238). Only confirmed ones are stored. */
@Entity(workerTable("totp_factors"))
@Index({ name: "totp_factors_user", properties: ["tenantId", "userId"] })
export class TotpFactor {
  [PrimaryKeyProp]?: ["tenantId", "factorId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("fac") })
  factorId: string;

  @Property({ type: wireId("usr") })
  userId: string;

  /** Base32, sealed for this factor. */
  @Property({ type: "text" })
  sealedSecret: string;

  /** The latest accepted code's time step. Codes for this step and for earlier ones are refused. */
  @Property({ type: "integer" })
  lastStep: number;

  @Property({ type: "timestamptz" })
  createdAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  lastUsedAt: Date | null;
}
