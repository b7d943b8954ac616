import type { Principal } from "@factory/runtime/auth/principal";
import { allEventTypes, isEventType, mayRead, requireReadable } from "../../event-types/event-access/event-access.js";
import type { ReplaySelection } from "./replay-selection.js";

/**
 * The selection without the kept messages of types that the caller may not read: the present endpoint may be one that the
 * caller chose for another type. The present type of the subscription is always included: to choose its endpoint, one needed the right to read it.
 * Throws INSUFFICIENT_SCOPE or PLATFORM_ADMIN_REQUIRED for a type that the selection names.
 */
export function readableSelection(
  selection: ReplaySelection,
  ownType: string | null,
  principal: Principal,
): ReplaySelection {
  const others = (selection.types ?? allEventTypes).filter(isEventType).filter((type) => type !== ownType);
  if (selection.types !== null) {
    requireReadable(others, principal);
    return selection;
  }
  const readable = others.filter((type) => mayRead(type, principal));
  if (readable.length === others.length) return selection;
  return { ...selection, types: ownType === null ? readable : [ownType, ...readable] };
}
