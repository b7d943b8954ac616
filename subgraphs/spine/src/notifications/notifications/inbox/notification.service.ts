import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { nilUuid } from "@factory/runtime/identifiers/nil-uuid";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import type { PageRequest } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, type Tenant, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { switchedOffReason } from "../preferences/switched-off.js";
import type { NotificationConnection, NotificationType } from "../record/notification.type.js";
import { type NotificationRow, notificationRowView } from "../record/notification.view.js";
import { ownUser, seesAll, unknownNotification } from "../record/notification-access.js";
import type { NotificationFilterInput } from "./notification-filter.input.js";
import { type ListConditions, notificationsWhere, oneNotification } from "./notification-list.js";

/** Finds and lists the notifications that the caller may see. */
export class NotificationService {
  readonly #database: Database;
  readonly #cursors: CursorSeal;

  constructor(database: Database, cursors: CursorSeal) {
    this.#database = database;
    this.#cursors = cursors;
  }

  /** Throws NOT_FOUND, also for a notification that the caller may not see. */
  async get(context: RequestContext, notificationId: string): Promise<NotificationType> {
    const principal = principalOf(context);
    const notification = await this.#read(tenantOf(context), notificationId);
    if (notification && (seesAll(principal) || isInOwnInbox(principal, notification))) return notification;
    throw unknownNotification();
  }

  /** For event subscribers, who share what they see: the notification, if the principal sees everybody's. */
  async findShared(context: RequestContext, notificationId: string): Promise<NotificationType | undefined> {
    return seesAll(principalOf(context)) ? this.#read(tenantOf(context), notificationId) : undefined;
  }

  async list(context: RequestContext, request: PageRequest<NotificationFilterInput>): Promise<NotificationConnection> {
    const tenant = tenantOf(context);
    const conditions = conditionsOf(principalOf(context), request.filter);
    const scope = { tenantId: tenant.tenantId, ...conditions };
    const page = notificationsWhere(conditions).page(this.#cursors, scope, request, { ...conditions });
    const rows = await this.#database.reader.rows<NotificationRow>(page.statement, tenant, ...page.values);
    return page.connection(rows.map(notificationRowView));
  }

  async #read(tenant: Tenant, notificationId: string): Promise<NotificationType | undefined> {
    const uuid = decodeId("ntf", notificationId);
    if (uuid === undefined) return undefined;
    const row = await this.#database.reader.row<NotificationRow>(oneNotification, tenant, uuid);
    return row && notificationRowView(row);
  }
}

/** A person does not see what that person has switched off. */
const isInOwnInbox = ({ subject }: Principal, { recipient, failureReason }: NotificationType): boolean =>
  recipient.userId === subject && failureReason !== switchedOffReason;

function conditionsOf(principal: Principal, filter: NotificationFilterInput | null | undefined): ListConditions {
  const { status = null, channel = null, recipientUserId = null, unread = null } = filter ?? {};
  const recipient = recipientOf(principal, recipientUserId);
  return { status, channel, unread, recipient, wanted: !seesAll(principal) };
}

/** The UUID of the recipient to whom the list is limited; null: no limit. */
function recipientOf(principal: Principal, requestedUserId: string | null): string | null {
  if (seesAll(principal)) return requestedUserId === null ? null : (decodeId("usr", requestedUserId) ?? nilUuid);
  if (requestedUserId !== null && requestedUserId !== principal.subject)
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: "The token shows the notifications of its own person only. Those of others need notification.send too.",
      requiredScopes: ["notification.send"],
    });
  return ownUser(principal) ?? nilUuid;
}
