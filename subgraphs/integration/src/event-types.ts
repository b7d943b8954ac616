import { type EventType, eventTypes } from "@factory/schema/event-names";
import type { Scope } from "@factory/schema/scopes";

export function isEventType(name: string): name is EventType {
  return Object.hasOwn(eventTypes, name);
}

/** Any of these lets a token read events of the type. */
export function readScopesOf(type: EventType): readonly Scope[] {
  return eventTypes[type].readScopes;
}

export const allEventTypes = Object.keys(eventTypes).filter(isEventType);

/** Every scope that lets a token read at least one type. */
export const eventReadScopes: readonly Scope[] = [...new Set(allEventTypes.flatMap(readScopesOf))].sort();
