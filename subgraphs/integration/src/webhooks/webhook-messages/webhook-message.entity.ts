import { foreignJson } from "@factory/runtime/db/foreign-json-column";
import { workerTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import { isUnsent, isWaiting, type WebhookMessageState } from "./webhook-message.states.js";

/**
 * One event that is to be sent to one webhook subscription. Workers claim messages across tenants, for the dispatcher.
 */
@Entity(workerTable("webhook_messages"))
@Unique({ name: "webhook_messages_event", properties: ["tenantId", "eventId", "subscriptionId"] })
@Index({ name: "webhook_messages_subscription", properties: ["tenantId", "subscriptionId", "createdAt"] })
@Index({
  name: "webhook_messages_waiting",
  properties: ["tenantId", "origin", "subscriptionId", "nextAttemptAt", "position"],
  where: isWaiting,
})
@Index({
  name: "webhook_messages_keys",
  properties: ["tenantId", "subscriptionId", "partitionKey", "position"],
  where: `${isWaiting} and partition_key is not null`,
})
@Index({
  name: "webhook_messages_unsent",
  properties: ["tenantId", "subscriptionId", "createdAt", "messageId"],
  where: isUnsent,
})
@Index({ name: "webhook_messages_finished_at", properties: ["finishedAt"], where: "finished_at is not null" })
export class WebhookMessage {
  [PrimaryKeyProp]?: ["tenantId", "messageId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("msg") })
  messageId: string;

  @Property({ type: wireId("whs") })
  subscriptionId: string;

  @Property({ type: wireId("evt") })
  eventId: string;

  @Property({ type: "text" })
  eventType: string;

  /** The event's `sequence`. */
  @Property({ type: "bigint" })
  position: string;

  /** The receiver's scheme, host and port. Empty in a message that ended before this column existed. */
  @Property({ type: "text", default: "" })
  origin: string;

  @Property({ type: "text" })
  status: WebhookMessageState;

  /** The number of attempts with a stored result. */
  @Property({ type: "integer" })
  attempts: number;

  /** The attempts before the message's newest replay, which begins the attempt schedule anew. */
  @Property({ type: "integer", default: 0 })
  attemptsBefore: number;

  /** The first run in the newest replay that has made the message due. */
  @Property({ type: wireId("run"), nullable: true })
  replayId: string | null;

  /** The fencing number: only the process with the newest claim stores a result. */
  @Property({ type: "integer", default: 0 })
  claims: number;

  /**
   * The event's partition key, in a subscription that keeps the order. Only a key's first waiting message has a due
   * time. A replay has its own keys, so that its messages keep their order and do not hold up new ones.
   */
  @Property({ type: "text", nullable: true })
  partitionKey: string | null;

  /** The time when the message is due. While it is Delivering, the time when its claim ends and it is due again. */
  @Property({ type: "timestamptz", nullable: true })
  nextAttemptAt: Date | null;

  /** The event, after the event log has deleted it. */
  @Property({ ...foreignJson(), nullable: true })
  envelope: Record<string, unknown> | null;

  @Property({ type: "timestamptz", nullable: true })
  finishedAt: Date | null;

  @Property({ type: "timestamptz", defaultRaw: "now()" })
  createdAt: Date;
}
