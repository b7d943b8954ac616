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
  readonly projectId: string | null;
  readonly filter: EventFilter | null;
}

/**
 * Whether a webhook subscription gets an event. It gets no event about itself, which would make a loop. A notification that
 * names its webhook subscription goes to no other one.
 */
export function selectsEvent(
  { subscriptionId, eventType, projectId, filter }: EventSelection,
  envelope: Envelope,
  together?: SharedWork,
): boolean {
  if (eventType !== envelope.type || envelope.subject.split("/").includes(subscriptionId)) return false;
  const receiver = namedReceiver(envelope);
  if (receiver !== undefined && receiver !== subscriptionId) return false;
  if (!isOfProject(projectId, envelope)) return false;
  return filter === null || matchesFilter(filter, envelope, together);
}

/** An event that names no project, as all from catalog and spine, goes to the subscriptions in every project. */
export const isOfProject = (projectId: string | null, { projectid }: Pick<Envelope, "projectid">): boolean =>
  projectId === null || projectid === undefined || projectid === projectId;

/** The only webhook subscription that gets the event. Undefined for all that select it. */
function namedReceiver({ type, data }: Envelope): string | undefined {
  const { subscriptionId } = data;
  return type === "NotificationRequested" && typeof subscriptionId === "string" ? subscriptionId : undefined;
}
