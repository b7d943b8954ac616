import { decodeId } from "@factory/runtime/identifiers/wire-id";
import type { Envelope } from "@factory/runtime/messages/envelope";
import type { EventType } from "@factory/schema/event-names";

const states = ["Registered", "Deprecated", "Disabled", "Retired"] as const;

/** The states that integration's providers have. */
export type ApiClientState = (typeof states)[number];

/** The state after each event. An update does not change it, and tells it in its data. */
const statesAfter = {
  ProviderRegistered: "Registered",
  ProviderEnabled: "Registered",
  ProviderDeprecated: "Deprecated",
  ProviderDisabled: "Disabled",
  ProviderRetired: "Retired",
  ProviderUpdated: "Registered",
} as const satisfies Partial<Record<EventType, ApiClientState>>;

type ProviderEventType = keyof typeof statesAfter;

/** The event types that change an API client. */
export const providerEventTypes = Object.keys(statesAfter) as ProviderEventType[];

interface ApiClientDetails {
  readonly apiClientId: string;
  readonly key: string;
  readonly displayName: string;
  readonly category: string | null;
  readonly capabilities: readonly string[];
}

export interface ProviderEvent {
  readonly providerId: string;
  readonly status: ApiClientState;
  /** The details in a registration or an update. Other events may omit them. */
  readonly details: ApiClientDetails | undefined;
  readonly occurredAt: Date;
  readonly eventId: string;
}

/** Parses an envelope; undefined when it is not a valid provider event. */
export function providerEvent(envelope: Envelope): ProviderEvent | undefined {
  const { type, data, subject } = envelope;
  if (envelope.messagekind !== "event" || !isProviderEvent(type)) return undefined;
  const providerId = text(data["providerId"]) ?? subject.slice(subject.indexOf("/") + 1);
  const occurredAt = new Date(envelope.time);
  if (decodeId("prv", providerId) === undefined || Number.isNaN(occurredAt.getTime())) return undefined;
  return {
    providerId,
    status: stateAfter(type, data["status"]),
    details: detailsOf(data),
    occurredAt,
    eventId: envelope.id,
  };
}

function stateAfter(type: ProviderEventType, toldStatus: unknown): ApiClientState {
  const updatedState = type === "ProviderUpdated" ? states.find((state) => state === toldStatus) : undefined;
  return updatedState ?? statesAfter[type];
}

const isProviderEvent = (type: string): type is ProviderEventType => Object.hasOwn(statesAfter, type);

function detailsOf(data: Readonly<Record<string, unknown>>): ApiClientDetails | undefined {
  const [apiClientId, key, displayName] = [text(data["apiClientId"]), text(data["key"]), text(data["displayName"])];
  if (apiClientId === undefined || key === undefined || displayName === undefined) return undefined;
  if (decodeId("apc", apiClientId) === undefined) return undefined;
  const capabilities = Array.isArray(data["capabilities"]) ? data["capabilities"] : [];
  return {
    apiClientId,
    key,
    displayName,
    category: text(data["category"]) ?? null,
    capabilities: capabilities.flatMap((capability: unknown) => text(capability) ?? []),
  };
}

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
