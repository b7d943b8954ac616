import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/**
 * How a person authorizes a connection once: a platform page, the vendor's pages, and the way back. A link and a state
 * are looked up before their tenant is known, by their digest.
 */
@Entity(workerTable("connection_authorizations"))
@Unique({ name: "connection_authorizations_ticket", properties: ["ticketHash"] })
@Unique({ name: "connection_authorizations_state", properties: ["stateHash"] })
@Index({ name: "connection_authorizations_of_connection", properties: ["tenantId", "connectionId"] })
@Index({ name: "connection_authorizations_expired", properties: ["expiresAt"] })
export class ConnectionAuthorization {
  [PrimaryKeyProp]?: ["tenantId", "authorizationId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: "uuid" })
  authorizationId: string;

  @Property({ type: wireId("con") })
  connectionId: string;

  /** The digest of the ticket in the link. */
  @Property({ type: "text" })
  ticketHash: string;

  /** The digest of the parameter `state`. Null until a browser has left for the vendor. */
  @Property({ type: "text", nullable: true })
  stateHash: string | null;

  /** The digest of the cookie in the browser that has left for the vendor. */
  @Property({ type: "text", nullable: true })
  browserHash: string | null;

  /** The PKCE verifier (RFC 7636), sealed and bound to the row. */
  @Property({ type: "text", nullable: true })
  sealedVerifier: string | null;

  /** The principal that asked for the link. */
  @Property({ type: "text" })
  requestedBy: string;

  @Property({ type: "timestamptz" })
  expiresAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  usedAt: Date | null;
}
