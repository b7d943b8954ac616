import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { startCursor } from "@factory/runtime/graphql/feed-start";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { EventType } from "@factory/schema/event-names";
import { allEventTypes, isEventType, mayRead, requireReadable } from "../../event-types/event-access/event-access.js";
import { EventFeed, type FeedSource } from "./event-feed.js";

export interface EventsArguments {
  types?: readonly string[] | null;
  after?: string | null;
}

/** Opens event feeds: it checks the event types against the token's scopes, and the cursor against the log. */
export class EventFeedService {
  readonly #source: FeedSource;

  constructor(source: FeedSource) {
    this.#source = source;
  }

  async open(context: RequestContext, { types, after }: EventsArguments): Promise<EventFeed> {
    const tenant = tenantOf(context);
    const principal = principalOf(context);
    const { expiresAt } = principal;
    const readable = readableTypes(principal, types ?? undefined);
    const cursor = startCursor(context, after);
    const sequence = cursor === undefined ? undefined : parseCursor(cursor);
    if (sequence !== undefined) {
      const { newest, prunedThrough } = await this.#source.log.extent(tenant);
      if (sequence < prunedThrough)
        throw new DomainError("CURSOR_EXPIRED", {
          detail:
            "Events after this cursor have been deleted, because events are kept for 7 days. Begin without a cursor.",
        });
      if (sequence > newest)
        throw new DomainError("INVALID_CURSOR", {
          detail:
            "The cursor is newer than the newest event of this tenant. Use the cursor of an event, or 0 for the first event.",
        });
    }
    return new EventFeed(this.#source, { tenant, types: new Set(readable), after: sequence, expiresAt });
  }
}

/**
 * The requested types, or all types that the token may read. A request with a type that the token may not read is
 * refused, because a missing type would look as if no event happened.
 */
function readableTypes(principal: Principal, wantedTypes: readonly string[] | undefined): EventType[] {
  if (wantedTypes === undefined) return allEventTypes.filter((type) => mayRead(type, principal));
  if (wantedTypes.length === 0)
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The list of types is empty. Name at least one event type, or leave the list out.",
      errors: [emptyList],
    });
  const knownTypes = wantedTypes.filter(isEventType);
  const unknown = wantedTypes.find((type) => !isEventType(type));
  if (unknown !== undefined)
    throw new DomainError("VALIDATION_FAILED", {
      detail: `"${unknown.slice(0, 100)}" is not an event type of the platform.`,
      errors: wantedTypes.flatMap(unknownType),
    });
  requireReadable(knownTypes, principal);
  return knownTypes;
}

const emptyList: FieldError = {
  pointer: "/types",
  code: "TOO_SHORT",
  detail: "The list must have at least one event type, or be left out.",
};

function unknownType(type: string, index: number): FieldError[] {
  if (isEventType(type)) return [];
  return [
    {
      pointer: `/types/${index}`,
      code: "UNKNOWN_VALUE",
      detail: "The value must be the name of an event type of the platform, for example TemplateRegistered.",
    },
  ];
}

/** The cursor is a sequence in the tenant's own log. It gives no access to other tenants' events. */
function parseCursor(cursor: string): number {
  const sequence = /^(0|[1-9]\d{0,15})$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (!Number.isSafeInteger(sequence))
    throw new DomainError("INVALID_CURSOR", {
      detail: "The cursor is not valid. Use the cursor of an event, or 0 for the first event.",
    });
  return sequence;
}
