import { platformEventTypes } from "@factory/schema/event-names";
import { normalizedNamePattern, type TenantSettingValues } from "@factory/schema/tenant-settings";
import { eventVerbs, unnamedEvent, vendorEventNames } from "./vendor-event-names.js";

/** The settings of a tenant, for example `FactsOfTenant`. */
interface Settings {
  setting(key: "webhooks.eventNames"): TenantSettingValues["webhooks.eventNames"];
}

/** A provider and the preset that it uses. */
interface Vendor {
  readonly key: string;
  readonly preset: string | null;
}

const maxNameLength = 200;
const maxTypeLength = 100;
const typeForm = new RegExp(normalizedNamePattern);

/**
 * The event type for an event of a vendor (design, integration.md 5.4): the tenant's own setting, else the table of the
 * vendor, else a type made of the words of the name, else VendorEventReceived. The name is looked up with its action
 * first. A type that the platform itself emits gets the prefix Vendor, so that no delivery can imitate its event.
 */
export function normalizedEventType(
  settings: Settings,
  vendor: Vendor,
  eventName: string,
  action: string | undefined,
): string {
  const isNamed = action === undefined || eventName.endsWith(`.${action}`);
  const names = [...(isNamed ? [] : [`${eventName}.${action}`]), eventName].filter(isShort);
  const own = settings.setting("webhooks.eventNames");
  const found =
    firstOf(names, (name) => ownMember(own, `${vendor.key}/${name}`)) ??
    firstOf(names, (name) => tableName(vendor, name)) ??
    firstOf(names, typeOfWords) ??
    unnamedEvent;
  if (!typeForm.test(found)) return unnamedEvent;
  return found !== unnamedEvent && Object.hasOwn(platformEventTypes, found) ? `Vendor${found}` : found;
}

const isShort = (name: string): boolean => name.length <= maxNameLength;

function firstOf(names: readonly string[], find: (name: string) => string | undefined): string | undefined {
  for (const name of names) {
    const found = find(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Names are from outside, so that only own members count. */
const ownMember = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

function tableName({ key, preset }: Vendor, eventName: string): string | undefined {
  const table = ownMember(vendorEventNames, preset ?? key) ?? ownMember(vendorEventNames, key);
  return table && ownMember(table, eventName);
}

/** `widget.created` becomes `WidgetCreated`; undefined where the last word is not a known verb. */
function typeOfWords(eventName: string): string | undefined {
  const words = eventName
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[._:/ -]+/)
    .filter((word) => word !== "");
  const verb = ownMember(eventVerbs, words.at(-1)?.toLowerCase() ?? "");
  if (verb === undefined || words.length < 2) return undefined;
  const type = words.slice(0, -1).map(capitalized).join("") + verb;
  return type.length <= maxTypeLength && typeForm.test(type) ? type : undefined;
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
