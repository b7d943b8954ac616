import { tenantTable, withLookup } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** A user's passkey. A sign-in without a password finds it by its credential ID, before the tenant is known. */
@Entity(withLookup(tenantTable("passkeys"), "true"))
@Index({ name: "passkeys_of_user", properties: ["tenantId", "userId", "factorId"] })
@Unique({ name: "passkeys_credential", properties: ["credentialId"] })
export class Passkey {
  [PrimaryKeyProp]?: ["tenantId", "factorId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("fac") })
  factorId: string;

  @Property({ type: wireId("usr") })
  userId: string;

  /** The credential ID that the authenticator has chosen, base64url. */
  @Property({ type: "text" })
  credentialId: string;

  /** The public key in the COSE form (RFC 9052). */
  @Property({ type: "Buffer", columnType: "bytea" })
  publicKey: Buffer;

  /** How browsers reach the authenticator, for example `internal` or `usb`. */
  @Property({ type: "text[]" })
  transports: string[];

  /** The name that the person chose. */
  @Property({ type: "text" })
  name: string;

  /** False: the passkey's provider may copy the key to other devices. */
  @Property({ type: "boolean" })
  deviceBound: boolean;

  /** The signature counter at the last use; 0 where the authenticator has none. */
  @Property({ type: "bigint" })
  signatureCount: string;

  @Property({ type: "timestamptz" })
  addedAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  lastUsedAt: Date | null;
}
