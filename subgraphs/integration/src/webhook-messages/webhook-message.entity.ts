import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import type { WebhookMessageState } from "./webhook-message.states.js";

/** One event on its way to one webhook subscription. The envelope stays in the event log. */
@Entity(tenantTable("webhook_messages"))
@Unique({ name: "webhook_messages_event", properties: ["tenantId", "subscriptionId", "eventId"] })
@Index({ name: "webhook_messages_subscription", properties: ["tenantId", "subscriptionId", "createdAt"] })
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

  @Property({ type: "bigint" })
  position: string;

  @Property({ type: "text" })
  status: WebhookMessageState;

  /** Attempts that have an outcome; the fence between two jobs that hold the same attempt. */
  @Property({ type: "integer" })
  attempts: number;

  @Property({ type: "timestamptz", nullable: true })
  nextAttemptAt: Date | null;

  @Property({ type: "timestamptz", nullable: true })
  finishedAt: Date | null;

  @Property({ type: "timestamptz", defaultRaw: "now()" })
  createdAt: Date;
}
