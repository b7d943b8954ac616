import { tenantTable } from "@factory/runtime/db/tenant-table";
import { wireId } from "@factory/runtime/db/wire-id-type";
import type { NotificationChannel } from "@factory/schema/vocabularies/notifications";
import { Entity, PrimaryKey, Property } from "@mikro-orm/decorators/legacy";
import { PrimaryKeyProp } from "@mikro-orm/postgresql";

/** Whether a user wants a category's notifications over a channel; the category `*` stands for all without a row. */
@Entity(tenantTable("notification_preferences"))
export class NotificationPreference {
  [PrimaryKeyProp]?: ["tenantId", "userId", "channel", "category"];

  @PrimaryKey({ type: wireId("ten") })
  tenantId: string;

  @PrimaryKey({ type: wireId("usr") })
  userId: string;

  @PrimaryKey({ type: "text" })
  channel: NotificationChannel;

  @PrimaryKey({ type: "text" })
  category: string;

  @Property({ type: "boolean" })
  enabled: boolean;

  @Property({ type: "timestamptz" })
  updatedAt: Date;
}
