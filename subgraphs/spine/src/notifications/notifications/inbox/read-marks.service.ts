import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import { aboutNotification } from "../record/notification.events.js";
import { unreadCondition } from "../record/notification.states.js";
import type { NotificationType } from "../record/notification.type.js";
import { type NotificationRow, notificationColumns, notificationRowView } from "../record/notification.view.js";
import { inboxOwner, requireRecipient, seesAll, unknownNotification } from "../record/notification-access.js";
import { withErasure } from "../record/notification-erasure.entity.js";
import { tellUnread } from "../record/unread-notice.js";
import type { MarkNotificationsReadInput } from "./mark-notifications-read.input.js";
import type { ReadMarksType } from "./read-marks.type.js";

/** Bounds a transaction's time, however full an inbox is. */
const maxMarked = 10_000;

const lockOne = {
  name: "notification_lock",
  text: `select ${notificationColumns} from notifications notification
    join notification_messages message
      on message.tenant_id = notification.tenant_id and message.message_id = notification.message_id
    ${withErasure}
    where notification.tenant_id = $1 and notification.notification_id = $2 for update of notification`,
};

const markOne = {
  name: "notification_mark",
  text: "update notifications set status = 'Read', read_at = $3 where tenant_id = $1 and notification_id = $2",
};

const markUnread = {
  name: "notifications_mark",
  text: `with unread as (select notification_id from notifications
      where tenant_id = $1 and recipient_user_id = $2 and ${unreadCondition}
      order by notification_id limit ${maxMarked} for update),
    marked as (update notifications set status = 'Read', read_at = $3
      from unread where notifications.tenant_id = $1 and notifications.notification_id = unread.notification_id
      returning notifications.notification_id)
    select count(*)::int as marked from marked`,
};

/** Marks notifications as read, for their recipients and for services that show an inbox. */
export class ReadMarksService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A notification that was read before is answered as it is. */
  markOne(context: RequestContext, notificationId: string): Promise<NotificationType> {
    const principal = principalOf(context);
    return idempotentMutation(this.#database, context, {
      field: "markNotificationRead",
      arguments: { notificationId },
      commit: async (transaction) => {
        const notification = await lockedNotification(transaction, principal, notificationId);
        requireRecipient(principal, notification.recipient.userId);
        if (notification.status === "Read") return notification;
        if (notification.status !== "Sent" && notification.status !== "Delivered") throw notReadable(notification);
        const readAt = new Date();
        const { tenant, execute, record } = transaction;
        await execute(markOne, [tenant.uuid, decodeId("ntf", notificationId), readAt]);
        const { recipient, messageId, channel, category } = notification;
        const facts = { notificationId, messageId, channel, category, recipientUserId: recipient.userId };
        const further = { count: 1, readAt: readAt.toISOString() };
        record({ type: "NotificationRead", ...aboutNotification({ tenantId: tenant.tenantId, ...facts }, further) });
        tellUnread(transaction, [recipient.userId]);
        notification.status = "Read";
        notification.readAt = further.readAt;
        return notification;
      },
    });
  }

  markAll(context: RequestContext, input: MarkNotificationsReadInput | null | undefined): Promise<ReadMarksType> {
    const recipientUserId = inboxOwner(principalOf(context), input?.recipientUserId);
    return idempotentMutation(this.#database, context, {
      field: "markNotificationsRead",
      arguments: { input: { recipientUserId } },
      commit: async (transaction) => {
        const { execute, record, tenant } = transaction;
        const readAt = new Date();
        const values = [tenant.uuid, decodeId("usr", recipientUserId), readAt];
        const [{ marked } = { marked: 0 }] = await execute<{ marked: number }>(markUnread, values);
        if (marked > 0)
          record({
            type: "NotificationRead",
            subject: `users/${recipientUserId}`,
            data: {
              ...{ tenantId: tenant.tenantId, messageId: null, notificationId: null, channel: "InApp", category: null },
              ...{ recipientUserId, count: marked, readAt: readAt.toISOString() },
            },
          });
        tellUnread(transaction, [recipientUserId]);
        return { recipientUserId, marked, hasMore: marked === maxMarked };
      },
    });
  }
}

async function lockedNotification(
  { execute, tenant }: Transaction,
  principal: Principal,
  notificationId: string,
): Promise<NotificationType> {
  const uuid = decodeId("ntf", notificationId);
  const [row] = uuid === undefined ? [] : await execute<NotificationRow>(lockOne, [tenant.uuid, uuid]);
  const notification = row && notificationRowView(row);
  if (notification && (seesAll(principal) || notification.recipient.userId === principal.subject)) return notification;
  throw unknownNotification();
}

const notReadable = ({ status }: NotificationType) =>
  new DomainError("INVALID_STATE", {
    detail: `The notification is ${status}. Only one that was Sent or Delivered can be read.`,
    currentState: status,
    allowed: ["Sent", "Delivered"],
  });
