import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { type EventType, eventTypes } from "@factory/schema/event-names";
import type { Scope } from "@factory/schema/scopes";

export function isEventType(name: string): name is EventType {
  return Object.hasOwn(eventTypes, name);
}

/** Any of these lets a token read events of the type. */
export function readScopesOf(type: EventType): readonly Scope[] {
  return eventTypes[type].readScopes;
}

/** Events about the life cycle of tenants. They belong to the platform's tenant, and only platform administrators read them. */
export const isTenantEvent = (type: string): boolean => isEventType(type) && readScopesOf(type).includes("tenant.read");

type Reader = Pick<Principal, "scopes" | "platformAdmin">;

const holdsScopeOf = (type: EventType, { scopes }: Reader) => readScopesOf(type).some((scope) => scopes.has(scope));

export const mayRead = (type: EventType, reader: Reader): boolean =>
  holdsScopeOf(type, reader) && (reader.platformAdmin || !isTenantEvent(type));

/** Throws where one of the types is not the reader's to read, or to have sent elsewhere. */
export function requireReadable(types: readonly EventType[], reader: Reader): void {
  const refused = types.filter((type) => !holdsScopeOf(type, reader));
  if (refused.length > 0) {
    const requiredScopes = [...new Set(refused.flatMap(readScopesOf))];
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: `Reading ${refused.join(", ")} needs ${requiredScopes.join(", ")}.`,
      requiredScopes,
    });
  }
  const platforms = types.filter((type) => !mayRead(type, reader));
  if (platforms.length > 0)
    throw new DomainError("PLATFORM_ADMIN_REQUIRED", {
      detail: `Only platform administrators read ${platforms.join(", ")}.`,
    });
}

export const allEventTypes = Object.keys(eventTypes).filter(isEventType);

/** Every scope that lets a token read at least one type. */
export const eventReadScopes: readonly Scope[] = [...new Set(allEventTypes.flatMap(readScopesOf))].sort();
