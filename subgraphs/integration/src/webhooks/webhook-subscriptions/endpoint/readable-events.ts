import type { Principal } from "@factory/runtime/auth/principal";
import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import {
  allEventTypes,
  isEventType,
  mayRead,
  requireReadable,
} from "../../../event-types/event-access/event-access.js";
import { typeThatWaits } from "./waiting-type-statement.js";

interface KnownSubscription {
  readonly subscriptionId: string;
  readonly eventType: string | null;
}

/** The members in a change that choose which events go where. */
interface Choice {
  readonly endpointUrl?: string | null;
  readonly eventType?: string | null;
  readonly signingSecretRef?: string | null;
  readonly filter?: unknown;
}

/**
 * A caller that chooses which events go where could read them there, or find out what they say with a filter. So it
 * must be allowed to read events with the present type, and with another endpoint also those that wait. Throws
 * INSUFFICIENT_SCOPE or PLATFORM_ADMIN_REQUIRED.
 */
export async function requireReadableEvents(
  { execute, tenant }: Transaction,
  principal: Principal,
  current: KnownSubscription,
  { endpointUrl, eventType, signingSecretRef, filter }: Choice,
): Promise<void> {
  if (endpointUrl == null && eventType == null && signingSecretRef == null && filter === undefined) return;
  if (current.eventType !== null && isEventType(current.eventType)) requireReadable([current.eventType], principal);
  const hidden = endpointUrl == null ? [] : allEventTypes.filter((type) => !mayRead(type, principal));
  if (hidden.length === 0) return;
  const subscription = decodeId("whs", current.subscriptionId);
  const waiting = await execute<{ event_type: string }>(typeThatWaits, [tenant.uuid, subscription, hidden]);
  requireReadable(waiting.map((row) => row.event_type).filter(isEventType), principal);
}
