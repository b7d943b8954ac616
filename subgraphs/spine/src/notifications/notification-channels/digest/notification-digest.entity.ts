import { expiringTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** SQL condition: every notification in the digest has ended. */
export const expiredDigest = "closes_at < now() - '7 days'::interval";

/** Notifications to one recipient that become one message when a window ends. */
@Entity(expiringTenantTable("notification_digests", expiredDigest))
@Index({
  name: "notification_digests_open",
  expression:
    "create unique index notification_digests_open on notification_digests (tenant_id, recipient_key, digest_key) where not is_closed",
})
@Index({ name: "notification_digests_closes", properties: ["closesAt"] })
export class NotificationDigest {
  [PrimaryKeyProp]?: ["tenantId", "digestId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("ndg") })
  digestId: string;

  /** As `recipientKey` makes it. */
  @Property({ type: "text" })
  recipientKey: string;

  /** The category, the user or `address`, and the key in the requests. */
  @Property({ type: "text" })
  digestKey: string;

  @Property({ type: "timestamptz" })
  closesAt: Date;

  /** Nothing is added to a closed digest, so that each attempt to send it has the same content. */
  @Property({ type: "boolean", default: false })
  isClosed: boolean;

  @Property({ type: "integer" })
  members: number;
}
