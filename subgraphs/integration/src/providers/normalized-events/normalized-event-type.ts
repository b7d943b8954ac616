import { platformEventTypes } from "@factory/schema/event-names";
import type { TenantSettingValues } from "@factory/schema/tenant-setting-values";
import { normalizedNamePattern } from "@factory/schema/tenant-settings";
import { eventVerbs } from "./event-verbs.js";
import { unnamedEvent, vendorEventNames } from "./vendor-event-names.js";

/** A tenant's settings, for example `FactsOfTenant`. */
interface Settings {
  setting(key: "webhooks.eventNames"): TenantSettingValues["webhooks.eventNames"];
}

/** A provider and the preset that it uses. */
export interface Vendor {
  readonly key: string;
  readonly preset: string | null;
}

const maxNameLength = 200;
const maxTypeLength = 100;
const typeForm = new RegExp(normalizedNamePattern);

/**
 * The event type for a vendor's event: the tenant's own setting, else the vendor's table,
 * else a type made from the name's words, else VendorEventReceived. The action belongs to the name: an action that is
 * not listed never takes the event's name alone, which may say the opposite. A type that the platform itself emits gets
 * the prefix Vendor, so that no delivery can imitate its event.
 */
export function normalizedEventType(
  settings: Settings,
  vendor: Vendor,
  eventName: string,
  action: string | undefined,
): string {
  if (Math.max(eventName.length, action?.length ?? 0) > maxNameLength) return unnamedEvent;
  const name = wholeName(eventName, action);
  if (name.length > maxNameLength) return unnamedEvent;
  const type =
    ownName(settings.setting("webhooks.eventNames"), vendor, { eventName, action, name }) ??
    tableName(vendor, name) ??
    (name === eventName || !isComplete(vendor, eventName) ? typeOfWords(name) : undefined) ??
    unnamedEvent;
  if (!typeForm.test(type)) return unnamedEvent;
  return type !== unnamedEvent && Object.hasOwn(platformEventTypes, type) ? `Vendor${type}` : type;
}

/** The name with its action, which it may end with already: `pull_request.closed` and `closed(merged)`. */
function wholeName(eventName: string, action: string | undefined): string {
  if (action === undefined) return eventName;
  const [, bare = action, mark = ""] = /^(.*?)(\([^()]*\))?$/su.exec(action) ?? [];
  if (eventName.endsWith(`.${bare}`)) return eventName + mark;
  const verb = verbOf(wordsOf(bare));
  const isSaid = verb !== undefined && verb.type === verbOf(wordsOf(eventName))?.type;
  return isSaid ? eventName + mark : `${eventName}.${action}`;
}

/** Whether an event has its own name without an action, which another action contradicts. */
const isComplete = (vendor: Vendor, eventName: string): boolean =>
  (tableName(vendor, eventName) ?? typeOfWords(eventName)) !== undefined;

/**
 * The tenant's name for an event without its action stands for its other actions too, unless it says what happened and
 * the action says something else. It never stands for a deletion.
 */
function ownName(
  names: Readonly<Record<string, string>>,
  { key }: Vendor,
  { eventName, action, name }: { eventName: string; action: string | undefined; name: string },
): string | undefined {
  const exact = ownMember(names, `${key}/${name}`);
  if (exact !== undefined || action === undefined || eventName === name) return exact;
  const storedName = ownMember(names, `${key}/${eventName}`);
  if (storedName === undefined) return undefined;
  const [nameVerb, actionVerb] = [verbOf(wordsOf(storedName))?.type ?? "Changed", verbOf(wordsOf(action))?.type];
  if (actionVerb !== undefined && deletions.has(actionVerb)) return nameVerb === actionVerb ? storedName : undefined;
  return nameVerb === "Changed" || nameVerb === actionVerb ? storedName : undefined;
}

const deletions: ReadonlySet<string> = new Set(["Deleted", "Removed"]);

/** Names are from outside, so that only own members count. */
const ownMember = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

function tableName({ key, preset }: Vendor, eventName: string): string | undefined {
  const table = ownMember(vendorEventNames, preset ?? key) ?? ownMember(vendorEventNames, key);
  return table && ownMember(table, eventName);
}

/** `widget.created` becomes `WidgetCreated`; undefined where the last words are not a known verb. */
function typeOfWords(eventName: string): string | undefined {
  const words = wordsOf(eventName);
  const verb = verbOf(words);
  if (verb === undefined || words.length <= verb.length) return undefined;
  const type = words.slice(0, -verb.length).map(capitalize).join("") + verb.type;
  return type.length <= maxTypeLength && typeForm.test(type) ? type : undefined;
}

const wordsOf = (name: string): string[] =>
  name
    .slice(0, maxNameLength)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[._:/ -]+/)
    .filter((word) => word !== "");

/** The verb that ends a name, with its number of words. */
function verbOf(words: readonly string[]): { type: string; length: number } | undefined {
  for (const length of [3, 2, 1]) {
    const type =
      words.length < length ? undefined : ownMember(eventVerbs, words.slice(-length).join(" ").toLowerCase());
    if (type !== undefined) return { type, length };
  }
  return undefined;
}

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
