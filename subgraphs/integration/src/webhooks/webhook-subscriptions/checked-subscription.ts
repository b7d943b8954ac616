import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { invalidEnumValue } from "@factory/runtime/errors/invalid-enum-value";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf } from "@factory/runtime/tenancy/tenant";
import type { EventType } from "@factory/schema/event-names";
import type { WebhookContentType, WebhookDirection } from "@factory/schema/vocabularies/webhooks";
import { webhookContentTypes } from "@factory/schema/vocabularies/webhooks";
import { isEventType, requireReadable } from "../../event-types/event-access/event-access.js";
import { checkedDeliverySettings, type DeliverySettings } from "./delivery-settings/delivery-settings.js";
import type { CreateWebhookSubscriptionInput } from "./webhook-subscription.input.js";

/** The input members whose presence depends on the direction, checked. */
export interface CheckedSubscription extends DeliverySettings {
  readonly direction: WebhookDirection;
  readonly providerId: string | null;
  readonly eventType: EventType | null;
  readonly endpointUrl: string | null;
  readonly contentType: WebhookContentType;
}

/** Throws VALIDATION_FAILED, EVENT_TYPE_UNKNOWN or INSUFFICIENT_SCOPE. */
export function checkedSubscription(
  context: RequestContext,
  input: CreateWebhookSubscriptionInput,
): CheckedSubscription {
  const direction = input.direction ?? "Outbound";
  const contentType = checkedContentType(input.contentType ?? "application/json");
  const members = { providerId: input.providerId, eventType: input.eventType, endpointUrl: input.endpointUrl };
  const wantedMembers: (keyof typeof members)[] =
    direction === "Inbound" ? ["providerId"] : ["eventType", "endpointUrl"];
  const refusedMembers = direction === "Inbound" ? { contentType: input.contentType } : {};
  const errors = Object.entries({ ...members, ...refusedMembers }).flatMap(([name, value]): FieldError[] => {
    const pointer = `/input/${name}`;
    const isWanted = wantedMembers.some((member) => member === name);
    if (isWanted && value == null)
      return [{ pointer, code: "REQUIRED", detail: `A subscription with the direction ${direction} needs it.` }];
    if (!isWanted && value != null)
      return [{ pointer, code: "FORMAT", detail: `A subscription with the direction ${direction} cannot have it.` }];
    return [];
  });
  if (errors.length > 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The members of a webhook subscription depend on its direction. See errors for each member.",
      errors,
    });
  const { providerId = null, eventType, endpointUrl = null } = members;
  return {
    ...checkedDeliverySettings(input, direction),
    direction,
    providerId,
    endpointUrl,
    contentType,
    eventType: eventType == null ? null : readableEventType(context, eventType),
  };
}

/** Throws PARAMETERS_INVALID for an unknown content type. */
export function checkedContentType(contentType: string): WebhookContentType {
  const knownType = webhookContentTypes.find((candidate) => candidate === contentType);
  if (knownType) return knownType;
  throw invalidEnumValue([{ pointer: "/input/contentType", allowed: webhookContentTypes }]);
}

/**
 * A caller may subscribe only to events that it may read. Throws EVENT_TYPE_UNKNOWN, INSUFFICIENT_SCOPE or
 * PLATFORM_ADMIN_REQUIRED.
 */
export function readableEventType(context: RequestContext, eventType: string): EventType {
  if (!isEventType(eventType))
    throw new DomainError("EVENT_TYPE_UNKNOWN", {
      detail: `"${eventType}" is not an event type of the platform.`,
      errors: [
        {
          pointer: "/input/eventType",
          code: "UNKNOWN_VALUE",
          detail: "The value must be the name of an event type of the platform, for example TemplateRegistered.",
        },
      ],
    });
  requireReadable([eventType], principalOf(context));
  return eventType;
}

/** The error for a subscription whose deliveries or events need a secret. */
export const secretMissing = () =>
  new DomainError("VALIDATION_FAILED", {
    detail: "The subscription needs signingSecretRef. Only deliveries with a JWS of the vendor need no secret.",
    errors: [{ pointer: "/input/signingSecretRef", code: "REQUIRED", detail: "The member is missing." }],
  });
