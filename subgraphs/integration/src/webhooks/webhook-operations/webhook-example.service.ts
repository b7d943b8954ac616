import { DomainError } from "@factory/runtime/errors/domain-error";
import { idempotentMutation } from "@factory/runtime/idempotency/idempotent-mutation";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { createEvent, type Envelope } from "@factory/runtime/messages/envelope";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { requireSameTenant } from "@factory/runtime/tenancy/tenant";
import type { Database, Transaction } from "@factory/runtime/unit-of-work/database";
import type { EventType } from "@factory/schema/event-names";
import { exampleEvent } from "@factory/schema/example-message";
import { isEventType } from "../../event-types/event-access/event-access.js";
import { originOf } from "../webhook-messages/webhook-lane.js";
import type { WebhookMessageService } from "../webhook-messages/webhook-message.service.js";
import { lockedSubscription } from "../webhook-subscriptions/locked-subscription.js";
import { insertExample } from "./example-statement.js";
import type { WebhookMessageResendType } from "./message-resend.type.js";
import type { SendWebhookExampleInput } from "./webhook-example.input.js";

/** Sends example events to webhook subscriptions. */
export class WebhookExampleService {
  readonly #database: Database;
  readonly #messages: WebhookMessageService;

  constructor(database: Database, messages: WebhookMessageService) {
    this.#database = database;
    this.#messages = messages;
  }

  /** The message carries its event itself, which is in no log. Throws INVALID_STATE or EVENT_TYPE_UNKNOWN. */
  async send(
    context: RequestContext,
    subscriptionId: string,
    input: SendWebhookExampleInput | null | undefined,
  ): Promise<WebhookMessageResendType> {
    requireSameTenant(context, input?.tenantId);
    const wantedType = input?.eventType ?? null;
    return idempotentMutation(this.#database, context, {
      field: "sendWebhookExample",
      arguments: { subscriptionId, eventType: wantedType },
      commit: async (transaction) => {
        const { status, endpointUrl, eventType } = await lockedSubscription(transaction, subscriptionId);
        if (endpointUrl === null || eventType === null)
          throw new DomainError("INVALID_STATE", {
            detail: "The webhook subscription has the direction Inbound, so nothing is sent to it.",
            currentState: status,
          });
        if (status !== "Active")
          throw new DomainError("INVALID_STATE", {
            detail: `The webhook subscription is ${status}. Resume it first.`,
            currentState: status,
            allowed: ["Active"],
          });
        const envelope = exampleEnvelope(transaction, wantedType ?? eventType);
        const [messageId, origin] = [newId("msg"), originOf(endpointUrl)];
        const { tenant, defer } = transaction;
        const subscription = decodeId("whs", subscriptionId) ?? "";
        const values = insertExample.valuesOf({
          ...{ tenant: tenant.uuid, message: decodeId("msg", messageId), subscription, origin },
          ...{ event: decodeId("evt", envelope.id), type: envelope.type, envelope: JSON.stringify(envelope) },
        });
        await defer(insertExample, values);
        this.#messages.announce(transaction, { tenant: tenant.uuid, origin, subscription });
        return { messageId, subscriptionId, status: "Pending" };
      },
    });
  }
}

/** An event like the tenant's real ones, with the example's data and the mark for a test. */
function exampleEnvelope({ tenant, cause }: Transaction, type: string): Envelope {
  const example = isEventType(type) ? exampleEvent(type) : undefined;
  if (!example)
    throw new DomainError("EVENT_TYPE_UNKNOWN", {
      detail: `"${type}" is not an event type that this release emits.`,
      errors: [
        {
          pointer: "/input/eventType",
          code: "UNKNOWN_VALUE",
          detail: "The value must be the name of an event type of the platform, for example TemplateRegistered.",
        },
      ],
    });
  const { subject, data } = example;
  return { ...createEvent({ type: type as EventType, subject, data }, tenant.tenantId, cause), test: true };
}
