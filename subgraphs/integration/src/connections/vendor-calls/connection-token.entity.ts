import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { TokenClient } from "./oauth2-client.js";

/**
 * The sealed tokens of a connection, and the lease of the process that refreshes them. Workers find, across tenants, the
 * tokens that a former master key wraps, and delete those of connections that are gone.
 */
@Entity(workerTable("connection_tokens"))
export class ConnectionToken {
  [PrimaryKeyProp]?: ["tenantId", "connectionId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("con") })
  connectionId: string;

  /** Grows with each stored set of tokens. 0: there is none yet. */
  @Property({ type: "integer" })
  version: number;

  @Property({ type: "text", nullable: true })
  keyId: string | null;

  @Property({ type: "blob", nullable: true })
  wrappedKey: Buffer | null;

  @Property({ type: "blob", nullable: true })
  ciphertext: Buffer | null;

  @Property({ type: "text", nullable: true })
  scope: string | null;

  @Property({ type: "timestamptz", nullable: true })
  issuedAt: Date | null;

  /** Null when the vendor does not say how long the access token is valid. */
  @Property({ type: "timestamptz", nullable: true })
  expiresAt: Date | null;

  /** A process refreshes the tokens until then. */
  @Property({ type: "timestamptz", nullable: true })
  leasedUntil: Date | null;

  /** The fencing number of the lease: a process whose lease was taken over stores nothing. */
  @Property({ type: "integer" })
  leases: number;

  /** The time and code of the last failed refresh. Null after a success. */
  @Property({ type: "timestamptz", nullable: true })
  failedAt: Date | null;

  @Property({ type: "text", nullable: true })
  failureCode: string | null;

  /** The client that got the stored tokens. */
  @Property({ type: "jsonb", nullable: true })
  client: TokenClient | null;

  /** The client of the last failed refresh. */
  @Property({ type: "jsonb", nullable: true })
  failedClient: TokenClient | null;
}
