import { type TenantStatement, tenantStatement } from "@factory/runtime/db/tenant-statement";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import { SortedList } from "@factory/runtime/pagination/sorted-list";
import { isUnsent, isWaiting, type WebhookMessageState } from "./webhook-message.states.js";
import type { WebhookAttemptType, WebhookMessageType } from "./webhook-message.type.js";
import { attemptColumns, messageColumns } from "./webhook-message.view.js";

/** A message and its exact creation time. */
interface ListedMessage extends WebhookMessageType {
  readonly createdAtText: string;
}

/** `where` is the condition on an index that the list uses. */
const messageList = (list: string, where: string) =>
  new SortedList<ListedMessage, TenantStatement>({
    list,
    columns: {
      createdAt: { column: "created_at", type: "timestamptz", of: ({ createdAtText }) => createdAtText },
    },
    id: { column: "message_id", type: "uuid", of: ({ messageId }) => decodeId("msg", messageId) ?? "" },
    byDefault: "-createdAt",
    // The cursors from earlier releases are bound to the name `state`, so it is not a filter.
    parameters: ["subscription", "state"],
    statement: (name, { place, after, order, limit }) =>
      tenantStatement(
        name,
        `select ${messageColumns} from webhook_messages
         where tenant_id = scope.tenant and subscription_id = ${place("subscription")} ${where}
           and (${place("state")}::text is null or status = ${place("state")}) ${after}
         order by ${order} limit ${limit}`,
      ),
  });

const allMessages = messageList("webhook_messages", "");
const unsentMessages = messageList("webhook_messages_unsent", `and ${isUnsent}`);
const waitingMessages = messageList("webhook_messages_waiting", `and ${isWaiting}`);

const waitingStates: readonly WebhookMessageState[] = ["Pending", "Delivering", "RetryScheduled"];

/** The messages in a state. Rare states have an index, so that a page never reads many other messages. */
export function listOfState(state: WebhookMessageState | null) {
  if (state === null || state === "Delivered") return allMessages;
  return waitingStates.includes(state) ? waitingMessages : unsentMessages;
}

const attemptList = (list: string, where: string) =>
  new SortedList<WebhookAttemptType, TenantStatement>({
    list,
    columns: { startedAt: { column: "started_at", type: "timestamptz", of: ({ startedAt }) => startedAt } },
    id: { column: "attempt_id", type: "uuid", of: ({ attemptId }) => decodeId("att", attemptId) ?? "" },
    byDefault: "-startedAt",
    parameters: ["subscription"],
    statement: (name, { place, after, order, limit }) =>
      tenantStatement(
        name,
        `select ${attemptColumns} from webhook_attempts
         where tenant_id = scope.tenant and subscription_id = ${place("subscription")} ${where} ${after}
         order by ${order} limit ${limit}`,
      ),
  });

/** A subscription's attempts by outcome. Few attempts fail without end, so successes need no index of their own. */
export const attemptLists = {
  all: attemptList("webhook_attempts", ""),
  Succeeded: attemptList("webhook_attempts_succeeded", "and outcome = 'Succeeded'"),
  Failed: attemptList("webhook_attempts_failed", "and outcome = 'Failed'"),
} as const;

/** A message's attempts. */
export const attemptsOfMessage = new SortedList<WebhookAttemptType, TenantStatement>({
  list: "webhook_message_attempts",
  columns: { number: { column: "number", type: "integer", unique: true, of: ({ number }) => String(number) } },
  id: { column: "attempt_id", type: "uuid", of: ({ attemptId }) => decodeId("att", attemptId) ?? "" },
  byDefault: "-number",
  parameters: ["message"],
  statement: (name, { place, after, order, limit }) =>
    tenantStatement(
      name,
      `select ${attemptColumns} from webhook_attempts
       where tenant_id = scope.tenant and message_id = ${place("message")} ${after}
       order by ${order} limit ${limit}`,
    ),
});
