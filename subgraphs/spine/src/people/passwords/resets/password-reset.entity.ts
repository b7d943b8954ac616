import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A link that resets a user's password once. Its tenant is not known before the token. */
@Entity(workerTable("password_resets"))
@Index({ name: "password_resets_user", properties: ["tenantId", "userId"] })
@Index({ name: "password_resets_expiry", properties: ["expiresAt"] })
@Unique({ name: "password_resets_token", properties: ["tokenDigest"] })
export class PasswordReset {
  [PrimaryKeyProp]?: ["tenantId", "resetId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("pwr") })
  resetId: string;

  @Property({ type: wireId("usr") })
  userId: string;

  /** The token is derived from it and from a platform key. Neither alone reveals it. */
  @Property({ type: "text" })
  tokenNonce: string;

  /** SHA-256, hex. */
  @Property({ type: "text" })
  tokenDigest: string;

  @Property({ type: "timestamptz" })
  createdAt: Date;

  @Property({ type: "timestamptz" })
  expiresAt: Date;
}
