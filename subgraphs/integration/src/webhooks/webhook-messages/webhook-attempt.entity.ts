import { expiringTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { AttemptFailure, AttemptOutcome } from "@factory/schema/vocabularies/webhooks";
import { Entity, Index, PrimaryKey, Property, Unique } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/**
 * Workers see rows that are older than half the shortest retention, so that they can delete them. The condition is
 * written as PostgreSQL prints it.
 */
@Entity(expiringTenantTable("webhook_attempts", "started_at < now() - '12:00:00'::interval"))
@Index({
  name: "webhook_attempts_subscription",
  properties: ["tenantId", "subscriptionId", "startedAt", "attemptId"],
  where: "subscription_id is not null",
})
@Index({
  name: "webhook_attempts_failed",
  properties: ["tenantId", "subscriptionId", "startedAt", "attemptId"],
  where: "outcome = 'Failed'",
})
@Unique({ name: "webhook_attempts_number", properties: ["tenantId", "messageId", "number"] })
export class WebhookAttempt {
  [PrimaryKeyProp]?: ["tenantId", "attemptId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("att") })
  attemptId: string;

  @Property({ type: wireId("msg") })
  messageId: string;

  /** Null in an attempt from before this column existed. */
  @Property({ type: wireId("whs"), nullable: true })
  subscriptionId: string | null;

  /** The attempt's number, from 1. */
  @Property({ type: "integer" })
  number: number;

  @Property({ type: "text" })
  outcome: AttemptOutcome;

  @Property({ type: "text", nullable: true })
  failure: AttemptFailure | null;

  /** One sentence that explains `failure`. */
  @Property({ type: "text", nullable: true })
  detail: string | null;

  @Property({ type: "integer", nullable: true })
  statusCode: number | null;

  /** The response body's first 16 KiB. */
  @Property({ type: "text", nullable: true })
  responseBody: string | null;

  /** Null when nothing was sent. */
  @Property({ type: "text", nullable: true })
  requestUrl: string | null;

  /** The headers without secrets, as in `responseHeaders`. */
  @Property({ type: "jsonb", nullable: true })
  requestHeaders: Record<string, string> | null;

  @Property({ type: "jsonb", nullable: true })
  responseHeaders: Record<string, string> | null;

  @Property({ type: "timestamptz" })
  startedAt: Date;

  @Property({ type: "integer" })
  durationMs: number;
}
