import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { GrantType } from "./grant-types.js";
import type { PublicKeySet } from "./public-keys.js";

/** A client of the token endpoint, bound to one tenant. Workers read it before a tenant is known. */
@Entity(workerTable("api_clients"))
@Index({ name: "api_clients_page", properties: ["tenantId", "createdAt", "clientId"] })
@Index({ name: "api_clients_by_name", properties: ["tenantId", "name", "clientId"] })
export class OAuthClient {
  [PrimaryKeyProp]?: ["tenantId", "clientId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  /** `cli_…`; text, because the platform's own client may be named by its operator. */
  @PrimaryKey({ type: "text" })
  @Unique({ name: "api_clients_client_id" })
  clientId: string;

  @Property({ type: "text" })
  name: string;

  @Property({ type: "text[]" })
  scopes: string[];

  @Property({ type: "text[]" })
  grantTypes: GrantType[];

  @Property({ type: "text" })
  principalType: "Service" | "Agent";

  @Property({ type: "boolean" })
  platformAdmin: boolean;

  @Property({ type: "text" })
  status: "Active" | "Disabled";

  /** What the secret is derived from together with SECRETS_KEY; null for a secret that an operator chose. */
  @Property({ type: "text", nullable: true })
  secretNonce: string | null;

  /** SHA-256, hex. The secret itself is stored nowhere. */
  @Property({ type: "text" })
  secretDigest: string;

  /**
   * `usr_…` or `cli_…` whom the secret was told last, and who can therefore act as this client; of keys that several
   * have installed all of them, with spaces between. Null: nobody is known.
   */
  @Property({ type: "text", nullable: true })
  secretHeldBy?: string | null;

  /** Exact addresses (RFC 9700 section 2.1) that a sign-in returns to. */
  @Property({ type: "text[]", default: [] })
  redirectUris: string[];

  /** One of ours: people may hand it their passwords, and it is not asked for their consent. */
  @Property({ type: "boolean", default: false })
  firstParty: boolean;

  /** Without a secret: runs where one cannot be kept (RFC 6749 section 2.1), so PKCE stands in. */
  @Property({ type: "boolean", default: false })
  isPublic: boolean;

  /** What its assertions are verified with (RFC 7523); null for a client with a secret, and for a public one. */
  @Property({ type: "jsonb", nullable: true })
  jwks?: PublicKeySet | null;

  /** What it was given before is worth nothing: it was disabled then, or others took over its secret or keys. */
  @Property({ type: "timestamptz", nullable: true })
  tokensFrom?: Date | null;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
