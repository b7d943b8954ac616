import { workerGroup } from "@factory/runtime/connections/database-roles";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import type { JWK } from "jose";

/** A key that signs tokens. It belongs to no tenant: only the worker role reads and writes it. */
@Entity({
  tableName: "signing_keys",
  rowLevelSecurity: "force",
  policies: [{ name: "worker", roles: [workerGroup], using: "true", check: "true" }],
})
export class SigningKey {
  /** The public key's RFC 7638 thumbprint. */
  @PrimaryKey({ type: "text" })
  keyId: string;

  @Property({ type: "json" })
  publicKey: JWK;

  /** The private JWK: a sealed value (`ValueSeal`) that is bound to `keyId`. */
  @Property({ type: "text" })
  sealedPrivateKey: string;

  @Property({ type: "timestamptz" })
  createdAt: Date;

  /** From when on the key signs. It is published earlier, so that every verifier knows it by then. */
  @Property({ type: "timestamptz", defaultRaw: "now()" })
  signsFrom: Date;

  /** When the key is deleted: all its tokens have expired by then. Null for the newest key. */
  @Property({ type: "timestamptz", nullable: true })
  retiresAt: Date | null;
}
