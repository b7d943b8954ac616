import { expiringTenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import { Entity, Index, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** SQL condition: the notification has ended. It waits for its digest a day, and is tried for three. */
export const expiredMember = "joined_at < now() - '8 days'::interval";

/** A notification in a digest. */
@Entity(expiringTenantTable("notification_digest_members", expiredMember))
@Index({ name: "notification_digest_members_of", properties: ["tenantId", "digestId", "notificationId"] })
@Index({ name: "notification_digest_members_joined", properties: ["joinedAt"] })
export class NotificationDigestMember {
  [PrimaryKeyProp]?: ["tenantId", "notificationId"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("ntf") })
  notificationId: string;

  @Property({ type: wireId("ndg") })
  digestId: string;

  @Property({ type: "timestamptz" })
  joinedAt: Date;
}
