import { workerGroup } from "@factory/runtime/db/tenant-table";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import type { JWK } from "jose";

/** A key that signs access tokens. Of no tenant: only the worker role reads or writes it. */
@Entity({
  tableName: "signing_keys",
  rowLevelSecurity: "force",
  policies: [{ name: "worker", roles: [workerGroup], using: "true", check: "true" }],
})
export class SigningKey {
  /** RFC 7638 thumbprint of the public key. */
  @PrimaryKey({ type: "text" })
  keyId: string;

  @Property({ type: "json" })
  publicKey: JWK;

  /** The private JWK: a sealed value (`ValueSeal`) that is bound to `keyId`. */
  @Property({ type: "text" })
  sealedPrivateKey: string;

  @Property({ type: "timestamptz" })
  createdAt: Date;

  /** Published before, so that every verifier has it by then. */
  @Property({ type: "timestamptz", defaultRaw: "now()" })
  signsFrom: Date;

  /** Deleted then: no token of it lives any longer. Null while it is the newest. */
  @Property({ type: "timestamptz", nullable: true })
  retiresAt: Date | null;
}
