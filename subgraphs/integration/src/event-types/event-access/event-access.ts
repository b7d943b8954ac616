import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { type EventType, eventTypes } from "@factory/schema/event-names";
import type { Scope } from "@factory/schema/scopes";

/** True for an event type's name in the contract (`schema/event-names.ts`). */
export function isEventType(name: string): name is EventType {
  return Object.hasOwn(eventTypes, name);
}

/** The scopes. One is enough to read events with the type. */
export function readScopesOf(type: EventType): readonly Scope[] {
  return eventTypes[type].readScopes;
}

/**
 * Events about a tenant's life cycle. They belong to the platform's tenant, and only platform administrators read
 * them.
 */
export const isTenantEvent = (type: string): boolean => isEventType(type) && readScopesOf(type).includes("tenant.read");

type Reader = Pick<Principal, "scopes" | "platformAdmin">;

const holdsScopeOf = (type: EventType, { scopes }: Reader) => readScopesOf(type).some((scope) => scopes.has(scope));

/** True when the reader's scopes allow the type, and for tenant events when it is a platform administrator. */
export const mayRead = (type: EventType, reader: Reader): boolean =>
  holdsScopeOf(type, reader) && (reader.platformAdmin || !isTenantEvent(type));

/** Throws INSUFFICIENT_SCOPE or PLATFORM_ADMIN_REQUIRED unless the reader may read events with each type. */
export function requireReadable(types: readonly EventType[], reader: Reader): void {
  const refusedTypes = types.filter((type) => !holdsScopeOf(type, reader));
  if (refusedTypes.length > 0) {
    const requiredScopes = [...new Set(refusedTypes.flatMap(readScopesOf))];
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: `The token may not read ${refusedTypes.join(", ")}. It needs one of the scopes ${requiredScopes.join(", ")}.`,
      requiredScopes,
    });
  }
  const platforms = types.filter((type) => !mayRead(type, reader));
  if (platforms.length > 0)
    throw new DomainError("PLATFORM_ADMIN_REQUIRED", {
      detail: `Only a platform administrator may read ${platforms.join(", ")}.`,
    });
}

/** The names for all event types in the contract. */
export const allEventTypes = Object.keys(eventTypes).filter(isEventType);
