import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { IdentityScope } from "@factory/schema/scopes";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { GrantType } from "./grant-types.js";
import type { PublicKeySet } from "./public-keys.js";

/** An OAuth client in one tenant. The worker role reads it before a request's tenant is known. */
@Entity(workerTable("api_clients"))
@Index({ name: "api_clients_page", properties: ["tenantId", "createdAt", "clientId"] })
@Index({ name: "api_clients_by_name", properties: ["tenantId", "name", "clientId"] })
export class OAuthClient {
  [PrimaryKeyProp]?: ["tenantId", "clientId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** `cli_…`. Text, because the operator may choose the ID for the platform's own client. */
  @PrimaryKey({ type: "text" })
  @Unique({ name: "api_clients_client_id" })
  clientId: string;

  @Property({ type: "text" })
  name: string;

  @Property({ type: "text[]" })
  scopes: string[];

  /** OpenID Connect scopes. They open nothing in the API, so they do not stand in `scopes`. */
  @Property({ type: "text[]", default: [] })
  identityScopes: IdentityScope[];

  @Property({ type: "text[]" })
  grantTypes: GrantType[];

  @Property({ type: "text" })
  principalType: "Service" | "Agent";

  @Property({ type: "boolean" })
  platformAdmin: boolean;

  @Property({ type: "text" })
  status: "Active" | "Disabled";

  /** The user (`usr_…`) together with whom the client was disabled. It is enabled again with this user. */
  @Property({ type: "text", nullable: true })
  disabledWith?: string | null;

  /** The secret is derived from this and SECRETS_KEY. Null for a secret that the operator chose. */
  @Property({ type: "text", nullable: true })
  secretNonce: string | null;

  /** SHA-256, hex. The secret itself is stored nowhere. */
  @Property({ type: "text" })
  secretDigest: string;

  /**
   * The principal (`usr_…`, `cli_…`) that was told the secret last, and that can therefore act as this client. For keys: all
   * principals that installed one, separated by spaces. Null: unknown.
   */
  @Property({ type: "text", nullable: true })
  secretHeldBy?: string | null;

  /**
   * A platform administrator made the client in the tenant, or a client did whose secret the platform held. Nothing changes
   * it afterwards.
   */
  @Property({ type: "boolean", default: false })
  createdByPlatform: boolean;

  /** Redirect URIs, compared exactly (RFC 9700 section 2.1). */
  @Property({ type: "text[]", default: [] })
  redirectUris: string[];

  /**
   * A client that belongs to the platform itself: it may use the password grant, and users are not asked for consent.
   */
  @Property({ type: "boolean", default: false })
  firstParty: boolean;

  /** A client without a secret, which runs where a secret cannot be kept (RFC 6749 section 2.1). PKCE protects it. */
  @Property({ type: "boolean", default: false })
  isPublic: boolean;

  /** The public keys that verify its assertions (RFC 7523). Null for a client with a secret and for a public client. */
  @Property({ type: "jsonb", nullable: true })
  jwks?: PublicKeySet | null;

  @Property({ type: "timestamptz", length: 3 })
  createdAt: Date;
}
