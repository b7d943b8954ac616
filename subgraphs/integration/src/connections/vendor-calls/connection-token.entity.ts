import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { TokenClient } from "./oauth2-client.js";

/**
 * A connection's sealed tokens, and the lease by which one process refreshes them. Workers find, across tenants, the
 * tokens that a former master key wraps, and delete those whose connections are gone.
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

  /** The lease's fencing number: a process whose lease was taken over stores nothing. */
  @Property({ type: "integer" })
  leases: number;

  /** When the last refresh failed, and with which code. Null after a success. */
  @Property({ type: "timestamptz", nullable: true })
  failedAt: Date | null;

  @Property({ type: "text", nullable: true })
  failureCode: string | null;

  /** The client that got the stored tokens. */
  @Property({ type: "jsonb", nullable: true })
  client: TokenClient | null;

  /** The client in the last failed refresh. */
  @Property({ type: "jsonb", nullable: true })
  failedClient: TokenClient | null;
}
