import { workerGroup } from "@factory/runtime/connections/database-roles";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/**
 * A stored oidc-provider artifact: codes, refresh tokens, grants, sessions, interactions. Only the worker role sees it.
 */
@Entity({
  tableName: "oidc_artifacts",
  rowLevelSecurity: "force",
  policies: [{ name: "worker", roles: [workerGroup], using: "true", check: "true" }],
})
export class OidcArtifact {
  [PrimaryKeyProp]?: ["kind", "idDigest"];

  /** oidc-provider's model name. */
  @PrimaryKey({ type: "text" })
  kind: string;

  /** SHA-256 of the id, hex: the id itself is the credential. */
  @PrimaryKey({ type: "text" })
  idDigest: string;

  @Property({ type: "jsonb" })
  payload: Record<string, unknown>;

  @Property({ type: "text", nullable: true })
  @Index({ name: "oidc_artifacts_grant" })
  grantId: string | null;

  /** SHA-256 of a session's uid, hex. For a grant: of the session in which it was made. */
  @Property({ type: "text", nullable: true })
  @Index({ name: "oidc_artifacts_uid" })
  uidDigest: string | null;

  /** `usr_…` or `cli_…`: the principal whose sign-out ends it. */
  @Property({ type: "text", nullable: true })
  @Index({ name: "oidc_artifacts_account" })
  accountId: string | null;

  /** The device when a session was last saved, or where a grant was made. Personal; at most 200 characters. */
  @Property({ type: "text", nullable: true })
  userAgent: string | null;

  /** The network address there. Personal. */
  @Property({ type: "text", nullable: true })
  address: string | null;

  @Property({ type: "timestamptz", nullable: true })
  seenAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  consumedAt: Date | null;

  @Property({ type: "timestamptz" })
  @Index({ name: "oidc_artifacts_expiry" })
  expiresAt: Date;
}
