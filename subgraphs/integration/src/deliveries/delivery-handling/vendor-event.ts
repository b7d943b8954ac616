import type { FactsOfTenant } from "@factory/runtime/tenant-facts/facts-of-tenant";
import type { EventType } from "@factory/schema/event-names";
import { vendorEventTypes } from "@factory/schema/vendor-event-types";
import { causeOfDelivery, deliveryFacts, type NamedDelivery, subjectOfDelivery } from "./claimed-delivery.js";
import type { DeliveryHandler } from "./delivery-handlers.js";
import type { Payload } from "./delivery-payload.js";

/** The normalized name for an event that no table and no rule knows. */
const fallbackType = "VendorEventReceived";
const knownNames: ReadonlySet<string> = new Set(vendorEventTypes);
const isKnown = (name: string): name is EventType => knownNames.has(name);

/** The limit on an event's data in bytes. */
const maxDataBytes = 64 * 1024;
const memberBytes = ',"payload":'.length;

/**
 * The event type for a normalized name. A name that a platform event has gets the prefix Vendor, and a name that no
 * table has becomes VendorEventReceived, so that a vendor cannot pretend to be the platform.
 */
export function vendorEventType(normalizedEventType: string): EventType {
  return [normalizedEventType, `Vendor${normalizedEventType}`].find(isKnown) ?? fallbackType;
}

/** Whether the tenant wants no event for a delivery whose name is not mapped. */
export function isIgnored(normalizedEventType: string, facts: FactsOfTenant): boolean {
  return normalizedEventType === fallbackType && facts.setting("webhooks.unmappedDeliveries") === "ignore";
}

/** The type and the data for a delivery's event. A payload that does not fit into an event is named by a reference. */
export function vendorEvent(facts: NamedDelivery, payload: Payload) {
  const { deliveryId, provider, providerDeliveryId, eventName, normalizedEventType, connectionId } = facts;
  const namedFacts = { provider, providerDeliveryId, eventName, normalizedEventType, deliveryId, connectionId };
  const fits = Buffer.byteLength(JSON.stringify(namedFacts)) + memberBytes + payload.bytes <= maxDataBytes;
  const data = fits
    ? { ...namedFacts, payload: payload.value }
    : { ...namedFacts, payloadRef: `/integrations/deliveries/${deliveryId}` };
  return { type: vendorEventType(normalizedEventType), data };
}

/** Publishes a delivery's event. */
export const publishVendorEvent: DeliveryHandler = async ({ record }, { delivery, payload, facts }) => {
  if (isIgnored(delivery.normalized_event_type, facts)) return false;
  const event = vendorEvent(deliveryFacts(delivery), payload);
  record({ ...event, ...subjectOfDelivery(delivery) }, causeOfDelivery(delivery));
  return true;
};
