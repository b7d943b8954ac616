import { foreignJson } from "@factory/runtime/db/foreign-json-column";
import { sweptTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { NotificationChannel, NotificationPriority } from "@factory/schema/vocabularies/notifications";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";
import { broadcastContinues } from "./notification.states.js";

/** One request's content, which its notifications share. It is kept one day longer than they are. */
@Entity(sweptTenantTable("notification_messages", broadcastContinues, "created_at < now() - '181 days'::interval"))
@Index({
  name: "notification_messages_continued",
  expression: `create index notification_messages_continued on notification_messages (message_id) where ${broadcastContinues}`,
})
@Index({
  name: "notification_messages_broadcasts",
  expression:
    "create index notification_messages_broadcasts on notification_messages (tenant_id, created_at) where audience <> 'Recipients'",
})
@Index({ name: "notification_messages_created", properties: ["createdAt"] })
export class NotificationMessage {
  [PrimaryKeyProp]?: ["tenantId", "messageId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("ntm") })
  messageId: string;

  @Property({ type: "text" })
  channel: NotificationChannel;

  /** The content's kind, by which people choose what they get. */
  @Property({ type: "text" })
  category: string;

  @Property({ type: "text" })
  priority: NotificationPriority;

  @Property({ type: "text", nullable: true })
  title: string | null;

  @Property({ type: "text", nullable: true })
  body: string | null;

  @Property({ type: "text", nullable: true })
  templateKey: string | null;

  /** The template's values. */
  @Property({ ...foreignJson(), nullable: true })
  data: Record<string, unknown> | null;

  /** A language tag (BCP 47). */
  @Property({ type: "text", nullable: true })
  locale: string | null;

  /** With the same key, notifications to one recipient become one message when the window ends. */
  @Property({ type: "text", nullable: true })
  digestKey: string | null;

  @Property({ type: "integer", nullable: true })
  digestSeconds: number | null;

  /** Recipients: those that the request names; Tenant and Role: a broadcast. */
  @Property({ type: "text" })
  audience: "Recipients" | "Tenant" | "Role";

  @Property({ type: "text", nullable: true })
  roleCode: string | null;

  /** How many notifications there are; for a broadcast, how many are stored already. */
  @Property({ type: "integer" })
  recipientCount: number;

  /** A broadcast that is not complete continues after this user; otherwise null. */
  @Property({ type: wireId("usr"), nullable: true })
  broadcastAfter: string | null;

  /** `usr_…`, `cli_…`, or `platform` for a notification from the platform itself. */
  @Property({ type: "text" })
  requestedBy: string;

  @Property({ type: "text" })
  correlationId: string;

  @Property({ type: "text" })
  traceparent: string;

  @Property({ type: "timestamptz" })
  createdAt: Date;
}
