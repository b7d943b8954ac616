import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import { hasFailed, isUnhandled, type WebhookDeliveryState } from "./webhook-delivery.states.js";

/**
 * A vendor's verified delivery. The unique key refuses a second delivery with the same ID for as long as the row is
 * kept. Workers claim deliveries across tenants, for their handling.
 */
@Entity(workerTable("webhook_deliveries"))
@Unique({
  name: "webhook_deliveries_provider_delivery",
  properties: ["tenantId", "providerId", "providerDeliveryId"],
})
@Index({ name: "webhook_deliveries_by_reception", properties: ["tenantId", "receivedAt", "deliveryId"] })
@Index({ name: "webhook_deliveries_failed", properties: ["tenantId", "receivedAt", "deliveryId"], where: hasFailed })
@Index({ name: "webhook_deliveries_unhandled", properties: ["tenantId", "nextAttemptAt"], where: isUnhandled })
@Index({ name: "webhook_deliveries_received_at", properties: ["receivedAt"] })
export class WebhookDelivery {
  [PrimaryKeyProp]?: ["tenantId", "deliveryId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("whd") })
  deliveryId: string;

  @Property({ type: wireId("prv") })
  providerId: string;

  @Property({ type: "text" })
  providerKey: string;

  @Property({ type: "text" })
  providerDeliveryId: string;

  /** The name that the vendor gives to the event. */
  @Property({ type: "text" })
  eventName: string;

  @Property({ type: "text" })
  normalizedEventType: string;

  /** The SHA-256 of the body as it was received. */
  @Property({ type: "blob" })
  bodySha256: Buffer;

  /** The payload as JSON text, encrypted. The three columns are null after the payload retention. */
  @Property({ type: "text", nullable: true })
  keyId: string | null;

  @Property({ type: "blob", nullable: true })
  wrappedKey: Buffer | null;

  @Property({ type: "blob", nullable: true })
  ciphertext: Buffer | null;

  /** The subscription whose secret verified the signature. */
  @Property({ type: wireId("whs"), nullable: true })
  subscriptionId: string | null;

  /** The connection whose secret verified the signature, or whose account the delivery names. */
  @Property({ type: wireId("con"), nullable: true })
  connectionId: string | null;

  /** The run for the operation ProcessDelivery, which is written in the same transaction. */
  @Property({ type: wireId("run") })
  runId: string;

  @Property({ type: "text" })
  status: WebhookDeliveryState;

  /** The number of attempts to handle it with a stored result. */
  @Property({ type: "integer", default: 0 })
  attempts: number;

  /** The time when it is due. While it is Processing, the time when its claim ends. Null after its end. */
  @Property({ type: "timestamptz", nullable: true })
  nextAttemptAt: Date | null;

  /** The fencing number: only the process with the newest claim stores a result. */
  @Property({ type: "integer", default: 0 })
  claims: number;

  @Property({ type: "text", nullable: true })
  errorCode: string | null;

  @Property({ type: "text", nullable: true })
  errorDetail: string | null;

  @Property({ type: "text" })
  traceId: string;

  @Property({ type: "timestamptz", defaultRaw: "now()" })
  receivedAt: Date;

  @Property({ type: "timestamptz", nullable: true })
  processedAt: Date | null;
}
