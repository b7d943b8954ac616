import type { BusMessage, EventConsumer } from "@factory/runtime/bus/bus";
import { failpoint } from "@factory/runtime/faults/failpoint";
import type { JobQueue } from "@factory/runtime/jobs/queue/job-queue";
import type { Envelope } from "@factory/runtime/messages/envelope";
import { tenantWithId } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { EventType } from "@factory/schema/event-names";
import type { DeliveryOutcome } from "../../notifications/delivery/channel-driver.js";
import { deliverAgain } from "../../notifications/delivery/deliver-again.js";
import { notificationOfHandle, settleNotification } from "../../notifications/delivery/settle-notification.js";
import { planByKeys } from "../../notifications/record/plan-by-keys.js";
import { settleOthers } from "../digest/digests.js";
import { causeOfEvent } from "../messages/cause-of-event.js";

type Outcome = (data: Readonly<Record<string, unknown>>) => DeliveryOutcome;

const sentOutcome: Outcome = () => ({ status: "Sent" });
const deliveredOutcome: Outcome = () => ({ status: "Delivered" });
/** The code only: vendors' details may have addresses. */
const failedOutcome: Outcome = ({ error }) => ({ status: "Failed", reason: codeOf(error) });
/** Integration rejects a command with this code when the tenant has no connection for it. */
const connectionMissing = "REFERENCE_NOT_FOUND";
const rejectedOutcome: Outcome = ({ error }) => {
  const code = codeOf(error);
  return { status: "Failed", reason: code === connectionMissing ? "CONNECTION_MISSING" : code };
};

/** The outcome that each answer to a command has for its notification. */
const outcomes: Readonly<Partial<Record<EventType, Outcome>>> = {
  EmailSent: sentOutcome,
  EmailDelivered: deliveredOutcome,
  EmailBounced: failedOutcome,
  EmailFailed: failedOutcome,
  SmsSent: sentOutcome,
  SmsDelivered: deliveredOutcome,
  SmsFailed: failedOutcome,
  CommandRejected: rejectedOutcome,
  CommandDeadLettered: failedOutcome,
};

const codeForm = /^[A-Z][A-Z_]{0,99}$/;

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && codeForm.test(code) ? code : "VENDOR_REFUSED";
}

/** The pause before a mail leaves by another way than the connection that was lost. */
const anotherWayMs = 1000;

/** The connection was deleted or suspended before the command came to it, so nothing was sent. */
const hasLostConnection = ({ type, data }: Envelope): boolean =>
  type === "CommandRejected" && data["command"] === "SendEmail" && codeOf(data["error"]) === connectionMissing;

/**
 * Settles notifications by the events that answer their commands. An event that comes again has no effect. A mail whose
 * connection was lost leaves by the way that there is now.
 */
export function vendorAnswers(database: Database, jobs: JobQueue): EventConsumer {
  return {
    group: "spine.notifications",
    types: Object.keys(outcomes) as EventType[],
    async handle(messages: readonly BusMessage[]) {
      for (const { envelope } of messages) await take({ database, jobs }, envelope);
    },
  };
}

async function take(
  { database, jobs }: { readonly database: Database; readonly jobs: JobQueue },
  envelope: Envelope,
): Promise<void> {
  const { causationid: commandId, type, tenantid, data } = envelope;
  const outcome = outcomes[type as EventType]?.(data);
  if (commandId === undefined || !outcome) return;
  await database.transaction(tenantWithId(tenantid), causeOfEvent(envelope), async (transaction) => {
    await planByKeys(transaction);
    const notificationId = await notificationOfHandle(transaction, commandId);
    if (notificationId === undefined) return;
    if (hasLostConnection(envelope)) {
      await deliverAgain(transaction, jobs, notificationId, new Date(Date.now() + anotherWayMs));
      return;
    }
    await settleNotification(transaction, notificationId, outcome);
    await settleOthers(transaction, notificationId, outcome);
    failpoint("notification.answering");
  });
  failpoint("notification.answered");
}
