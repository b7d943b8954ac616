import { type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { Notification } from "../record/notification.entity.js";
import { aboutNotification, type NotificationFacts } from "../record/notification.events.js";
import type { NotificationState } from "../record/notification.states.js";
import type { NotificationMessage } from "../record/notification-message.entity.js";
import type { DeliveryOutcome } from "./channel-driver.js";
import { byHandle, settle } from "./delivery-statement.js";

type SettledRow = RowOf<Notification, "messageId" | "channel" | "recipientUserId"> &
  RowOf<NotificationMessage, "category"> & { before: NotificationState; settled_at: string };

const readNotification = rowReader(Notification);

/** The states in which each outcome is taken. A late outcome, after the recipient has read it for example, has no effect. */
const takenIn: Readonly<Record<DeliveryOutcome["status"], readonly NotificationState[]>> = {
  Sent: ["Queued"],
  Delivered: ["Queued", "Sent"],
  Failed: ["Queued", "Sent"],
};

const maxReasonLength = 500;

/**
 * Stores the notification's outcome and records its event in the transaction. Answers false, and changes nothing, when
 * the notification has left the states in which the outcome is taken. `Delivered` after Queued also records
 * NotificationSent.
 */
export async function settleNotification(
  { execute, tenant, record }: Transaction,
  notificationId: string,
  outcome: DeliveryOutcome,
): Promise<boolean> {
  const { status } = outcome;
  const reason = outcome.status === "Failed" ? outcome.reason.slice(0, maxReasonLength) : null;
  const uuid = decodeId("ntf", notificationId);
  if (uuid === undefined) return false;
  const parameters = { tenant: tenant.uuid, notification: uuid, status, reason, takenIn: takenIn[status] };
  const [row] = await execute<SettledRow>(settle, settle.valuesOf(parameters));
  if (!row) return false;
  const facts: NotificationFacts = {
    ...{ tenantId: tenant.tenantId, notificationId, category: row.category },
    ...readNotification(row),
  };
  const at = new Date(row.settled_at).toISOString();
  if (reason !== null) record({ type: "NotificationFailed", ...aboutNotification(facts, { reason, failedAt: at }) });
  else if (row.before === "Queued")
    record({ type: "NotificationSent", ...aboutNotification(facts, { recipientCount: 1, sentAt: at }) });
  if (status === "Delivered")
    record({ type: "NotificationDelivered", ...aboutNotification(facts, { deliveredAt: at }) });
  return true;
}

/** The notification (`ntf_…`) that `handOver` stored with this handle. */
export async function notificationOfHandle(
  { execute, tenant }: Transaction,
  handle: string,
): Promise<string | undefined> {
  const [row] = await execute<{ notification_id: string }>(byHandle, [tenant.uuid, handle]);
  return row && encodeId("ntf", row.notification_id);
}
