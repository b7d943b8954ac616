import { DomainError } from "@factory/runtime/errors/domain-error";
import type { CursorSeal } from "@factory/runtime/pagination/cursor";
import { type PageRequest, pageReach } from "@factory/runtime/pagination/page";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { EventType } from "@factory/schema/event-names";
import { isEventType, requireReadable } from "../../event-types/event-access/event-access.js";
import { selectsEvent } from "../../webhooks/webhook-messages/selects-event.js";
import { webhookBody } from "../../webhooks/webhook-messages/webhook-body.js";
import type { WebhookSubscriptionService } from "../../webhooks/webhook-subscriptions/webhook-subscription.service.js";
import type { WebhookSubscriptionType } from "../../webhooks/webhook-subscriptions/webhook-subscription.type.js";
import type { EventLogService, LogExtent } from "../event-log/event-log.service.js";
import type { WebhookSubscriptionEventsType } from "./event-pull.type.js";

/** The limits on the events that one request reads from the log, whether the filter matches them or not. */
const limits = { looks: 5, eventsOfALook: 100, bytes: 1024 * 1024 };

interface Parts {
  readonly log: EventLogService;
  readonly subscriptions: WebhookSubscriptionService;
  readonly cursors: CursorSeal;
}

/** Reads what webhook subscriptions select from the event log. It keeps nothing: the cursor belongs to the consumer. */
export class EventPullService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws WEBHOOK_SUBSCRIPTION_NOT_FOUND, INSUFFICIENT_SCOPE, INVALID_CURSOR or CURSOR_EXPIRED. */
  async pull(
    context: RequestContext,
    subscriptionId: string,
    { first, after }: PageRequest<unknown>,
  ): Promise<WebhookSubscriptionEventsType> {
    const { log, subscriptions, cursors } = this.#parts;
    const tenant = tenantOf(context);
    const { size } = pageReach({ first });
    const subscription = await subscriptions.get(context, subscriptionId);
    const type = readableTypeOf(context, subscription);
    const scope = { list: "webhookSubscriptionEvents", tenantId: tenant.tenantId, subscriptionId };
    let position = after == null ? undefined : Number(cursors.open(scope, after));
    const items: Record<string, unknown>[] = [];
    const page = (through: number, newest: number) => ({
      items,
      nextCursor: cursors.seal(scope, through),
      hasMore: through < newest,
    });
    let bytes = 0;
    for (let look = 1; ; look += 1) {
      const window = await log.window(tenant, position, type, limits.eventsOfALook);
      if (position !== undefined) requireKept(position, window);
      for (const event of window.events) {
        bytes += event.bytes;
        if (selectsEvent(subscription, event.envelope)) items.push(webhookBody(event.envelope, String(event.sequence)));
        if (items.length === size || bytes >= limits.bytes) return page(event.sequence, window.newest);
      }
      position = window.through;
      if (position >= window.newest || look === limits.looks) return page(position, window.newest);
    }
  }
}

/** A consumer that reads events here needs the right to read them, whatever its subscription says. */
function readableTypeOf(context: RequestContext, { eventType, status }: WebhookSubscriptionType): EventType {
  if (eventType === null)
    throw new DomainError("INVALID_STATE", {
      detail: "The webhook subscription has the direction Inbound, so it selects no events.",
      currentState: status,
    });
  if (!isEventType(eventType))
    throw new DomainError("EVENT_TYPE_UNKNOWN", {
      detail: `This release has no event type "${eventType}". Change the type of the webhook subscription.`,
    });
  requireReadable([eventType], principalOf(context));
  return eventType;
}

function requireKept(position: number, { newest, prunedThrough }: LogExtent): void {
  if (position < prunedThrough)
    throw new DomainError("CURSOR_EXPIRED", {
      detail:
        "Events after this cursor have been deleted, because events are kept for 7 days. Begin without a cursor, which gives the oldest events that are kept.",
    });
  if (position > newest)
    throw new DomainError("INVALID_CURSOR", {
      detail: "The cursor is newer than the newest event of this tenant. Begin without a cursor.",
    });
}
