import type { Envelope } from "@factory/runtime/messages/envelope";
import {
  type EventFilter,
  matchesFilter,
  type SharedWork,
} from "../webhook-subscriptions/delivery-settings/event-filter.js";

/** The members of a webhook subscription that choose its events. */
interface EventSelection {
  readonly subscriptionId: string;
  readonly eventType: string | null;
  readonly filter: EventFilter | null;
}

/** Whether a webhook subscription gets an event. It gets no event about itself, which would make a loop. */
export function selectsEvent(
  { subscriptionId, eventType, filter }: EventSelection,
  envelope: Envelope,
  together?: SharedWork,
): boolean {
  if (eventType !== envelope.type || envelope.subject.split("/").includes(subscriptionId)) return false;
  return filter === null || matchesFilter(filter, envelope, together);
}
