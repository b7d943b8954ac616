import { normalizedEventType, type Vendor } from "./normalized-event-type.js";
import { formerEventNames } from "./vendor-event-names.js";

interface StoredNames {
  /** With its action after a dot, where an earlier release knew one. */
  readonly eventName: string;
  readonly normalizedEventType: string;
}

const namesOf = (vendor: string) => (Object.hasOwn(formerEventNames, vendor) ? formerEventNames[vendor] : undefined);
const noSettings = { setting: () => ({}) };

/** A stored event's type: the one that it has, unless an earlier release gave it whatever the action was. */
export function correctedEventType(
  vendor: Vendor,
  { eventName, normalizedEventType: storedType }: StoredNames,
  toldAction: (event: string) => string | undefined,
): string {
  const dot = eventName.indexOf(".");
  const event = dot < 0 ? eventName : eventName.slice(0, dot);
  const names = namesOf(vendor.preset ?? vendor.key) ?? namesOf(vendor.key);
  if (!names || !Object.hasOwn(names, event) || names[event] !== storedType) return storedType;
  const action = dot < 0 ? toldAction(event) : eventName.slice(dot + 1);
  return normalizedEventType(noSettings, vendor, event, action);
}
