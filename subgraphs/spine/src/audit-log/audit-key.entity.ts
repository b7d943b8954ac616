import { workerGroup } from "@factory/runtime/connections/database-roles";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";

/**
 * A key that signs seals. It belongs to no tenant, and it is never deleted, because seals are verified as long as the
 * log is kept.
 */
@Entity({
  tableName: "audit_keys",
  rowLevelSecurity: "force",
  policies: [{ name: "worker", roles: [workerGroup], using: "true", check: "true" }],
})
export class AuditKeyRow {
  /** The public key's RFC 7638 thumbprint. */
  @PrimaryKey({ type: "text" })
  keyId: string;

  /**
   * The JWK with its private part: a sealed value (`ValueSeal`) that is bound to `keyId`. The public key is read from it,
   * too, so that nobody without SECRETS_KEY can add a key.
   */
  @Property({ type: "text" })
  sealedKey: string;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
