import type { EventType } from "@factory/schema/event-names";
import { vendorEventTypes } from "@factory/schema/vendor-event-types";
import { causeOfDelivery, deliveryFacts, subjectOfDelivery } from "./claimed-delivery.js";
import type { DeliveryHandler, OpenDelivery } from "./delivery-handlers.js";

/** The normalized name of an event that no table and no rule knows. */
const unmapped = "VendorEventReceived";
const knownNames: ReadonlySet<string> = new Set(vendorEventTypes);
const isKnown = (name: string): name is EventType => knownNames.has(name);

/** The limit of the data of an event (integration.md 5.9). */
const maxDataBytes = 64 * 1024;

/**
 * The event type of a normalized name. A name that an event of the platform has gets the prefix Vendor, and a name that
 * no table has becomes VendorEventReceived, so that a vendor cannot pretend to be the platform.
 */
export function vendorEventType(normalizedEventType: string): EventType {
  return [normalizedEventType, `Vendor${normalizedEventType}`].find(isKnown) ?? unmapped;
}

/** Whether the tenant wants no event for a delivery whose name is not mapped. */
function isIgnored({ delivery, facts }: OpenDelivery): boolean {
  return delivery.normalized_event_type === unmapped && facts.setting("webhooks.unmappedDeliveries") === "ignore";
}

/** Publishes the event of a delivery. A payload that does not fit into an event is named by a reference. */
export const publishVendorEvent: DeliveryHandler = async ({ record }, open) => {
  if (isIgnored(open)) return false;
  const { delivery, payload } = open;
  const facts = deliveryFacts(delivery);
  const { deliveryId, provider, providerDeliveryId, eventName, normalizedEventType, connectionId } = facts;
  const named = { provider, providerDeliveryId, eventName, normalizedEventType, deliveryId, connectionId };
  const whole = { ...named, payload };
  const fits = Buffer.byteLength(JSON.stringify(whole)) <= maxDataBytes;
  const data = fits ? whole : { ...named, payloadRef: `/integrations/deliveries/${deliveryId}` };
  const type = vendorEventType(normalizedEventType);
  record({ type, ...subjectOfDelivery(delivery), data }, causeOfDelivery(delivery));
  return true;
};
