import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { AuthMode, ConnectionHealth } from "@factory/schema/vocabularies/connections";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { ConnectionState, FailureDays } from "./connection.states.js";

const live = "status <> 'Deleted'";

/** Workers find due probes and the secrets for inbound deliveries here, before a tenant is known. */
@Entity(workerTable("connections"))
@Index({ name: "connections_by_display_name", properties: ["tenantId", "displayName", "connectionId"], where: live })
@Index({ name: "connections_by_time", properties: ["tenantId", "establishedAt", "connectionId"], where: live })
@Index({ name: "connections_of_provider", properties: ["tenantId", "providerId"], where: live })
@Index({
  name: "connections_of_account",
  properties: ["tenantId", "providerId", "externalAccountId"],
  where: `${live} and external_account_id is not null`,
})
@Index({ name: "connections_of_credential", properties: ["tenantId", "credentialId"], where: live })
@Index({ name: "connections_lookup", properties: ["connectionId"], where: live })
@Index({ name: "connections_deleted_at", properties: ["deletedAt"], where: "deleted_at is not null" })
@Index({ name: "connections_due", properties: ["tenantId", "nextProbeAt"], where: "status = 'Active'" })
export class Connection {
  [PrimaryKeyProp]?: ["tenantId", "connectionId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("con") })
  connectionId: string;

  @Property({ type: "text", nullable: true })
  projectId: string | null;

  @Property({ type: wireId("prv") })
  providerId: string;

  @Property({ type: "text" })
  displayName: string;

  @Property({ type: "text" })
  authMode: AuthMode;

  /** The reference as the caller wrote it. */
  @Property({ type: "text", nullable: true })
  credentialRef: string | null;

  /** Null when the reference does not name one of the tenant's credentials: it is an external reference then. */
  @Property({ type: wireId("crd"), nullable: true })
  credentialId: string | null;

  @Property({ type: "jsonb" })
  configuration: Record<string, string>;

  /** `configuration.webhookSecretRef`: the secret that verifies this connection's inbound deliveries. */
  @Property({ type: "text", nullable: true })
  webhookSecretRef: string | null;

  @Property({ type: wireId("crd"), nullable: true })
  webhookCredentialId: string | null;

  /** `configuration.accountId`: the account's id at the vendor. */
  @Property({ type: "text", nullable: true })
  externalAccountId: string | null;

  @Property({ type: "text" })
  status: ConnectionState;

  @Property({ type: "text", nullable: true })
  statusReason: string | null;

  @Property({ type: "text" })
  health: ConnectionHealth;

  /** Why the health is what it is. Null until it has changed once. */
  @Property({ type: "text", nullable: true })
  healthReason: string | null;

  /** The run that is the evidence for the health. Null until the first evidence. */
  @Property({ type: wireId("run"), nullable: true })
  healthRunId: string | null;

  @Property({ type: "timestamptz", nullable: true })
  lastCheckedAt: Date | null;

  @Property({ type: wireId("run"), nullable: true })
  lastRunId: string | null;

  @Property({ type: "integer" })
  consecutiveFailures: number;

  @Property({ type: "integer" })
  consecutiveSuccesses: number;

  /** How many times in a row the vendor has rejected the credential. */
  @Property({ type: "integer" })
  consecutiveRejections: number;

  @Property({ type: "timestamptz", nullable: true })
  failingSince: Date | null;

  @Property({ type: "jsonb", default: "{}" })
  failureDays: FailureDays;

  @Property({ type: "timestamptz", nullable: true })
  nextProbeAt: Date | null;

  @Property({ type: "timestamptz", length: 3 })
  establishedAt: Date;

  /** The trace from the request that established the connection. */
  @Property({ type: "text" })
  traceId: string;

  /** Grows with every change to the facts that a read shows. It is the entity tag. */
  @Property({ type: "integer" })
  version: number;

  @Property({ type: "timestamptz", nullable: true })
  deletedAt: Date | null;
}
