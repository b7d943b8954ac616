import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, encodeId } from "@factory/runtime/identifiers/wire-id";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { Database } from "@factory/runtime/unit-of-work/database";
import { isEventType, requireReadable } from "../../event-types/event-access/event-access.js";
import { unknownMessage } from "../webhook-messages/message-log.service.js";
import { originOf } from "../webhook-messages/webhook-lane.js";
import type { WebhookMessageService } from "../webhook-messages/webhook-message.service.js";
import {
  endedMessageStates,
  maxMessageAttempts,
  type WebhookMessageState,
} from "../webhook-messages/webhook-message.states.js";
import type { StoredMessageRow } from "../webhook-messages/webhook-message.view.js";
import type { WebhookSubscriptionState } from "../webhook-subscriptions/webhook-subscription.states.js";
import type { StoredSubscriptionRow } from "../webhook-subscriptions/webhook-subscription.view.js";
import type { WebhookMessageResendType } from "./message-resend.type.js";
import { lockMessage, makeDue } from "./resend-statement.js";

const resendable: readonly WebhookMessageState[] = [...endedMessageStates, "RetryScheduled"];

interface LockedMessage
  extends Pick<StoredMessageRow, "status" | "attempts" | "subscription_id">,
    Pick<StoredSubscriptionRow, "endpoint_url"> {
  subscription_status: WebhookSubscriptionState;
  has_event: boolean;
  former_type: string | null;
}

/** Sends single messages again. */
export class MessageResendService {
  readonly #database: Database;
  readonly #messages: WebhookMessageService;

  constructor(database: Database, messages: WebhookMessageService) {
    this.#database = database;
    this.#messages = messages;
  }

  /**
   * Makes a message that has ended, or that waits for its next attempt, due at once. It goes to the present endpoint
   * with the same webhook-id. Throws WEBHOOK_MESSAGE_NOT_FOUND, INVALID_STATE, and INSUFFICIENT_SCOPE for an event with
   * the subscription's former type, whose present endpoint may belong to somebody who may not read it.
   */
  resend(context: RequestContext, messageId: string): Promise<WebhookMessageResendType> {
    return idempotentMutation(this.#database, context, {
      field: "resendWebhookMessage",
      arguments: { messageId },
      commit: async (transaction) => {
        const { execute, defer, tenant } = transaction;
        const uuid = decodeId("msg", messageId);
        const [message] = uuid === undefined ? [] : await execute<LockedMessage>(lockMessage, [tenant.uuid, uuid]);
        if (!message) throw unknownMessage();
        const origin = originOf(requireResendable(message));
        requireReadable([message.former_type ?? ""].filter(isEventType), principalOf(context));
        await defer(makeDue, [tenant.uuid, uuid, origin]);
        const { subscription_id: subscription } = message;
        this.#messages.announce(transaction, { tenant: tenant.uuid, origin, subscription });
        const status = message.status === "RetryScheduled" ? message.status : "Pending";
        return { messageId, subscriptionId: encodeId("whs", subscription), status };
      },
    });
  }
}

/** Returns the endpoint. */
function requireResendable(message: LockedMessage): string {
  const { status, attempts, endpoint_url: endpointUrl, subscription_status: ofSubscription } = message;
  const refusal = (detail: string, allowed: readonly string[] = resendable) =>
    new DomainError("INVALID_STATE", { detail, currentState: status, allowed });
  if (!resendable.includes(status))
    throw refusal(`The message is ${status}, so it is being sent. Wait until it has ended.`);
  if (ofSubscription !== "Active" || endpointUrl === null)
    throw new DomainError("INVALID_STATE", {
      detail: `The webhook subscription of the message is ${ofSubscription}. Resume it first.`,
      currentState: ofSubscription,
      allowed: ["Active"],
    });
  if (!message.has_event) throw refusal("The event of the message was deleted, so there is nothing to send.", []);
  if (attempts >= maxMessageAttempts)
    throw refusal(`The message was sent ${attempts} times, which is the limit. It is not sent again.`, []);
  return endpointUrl;
}
