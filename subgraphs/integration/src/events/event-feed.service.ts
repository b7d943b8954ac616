import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import type { RequestContext } from "@factory/runtime/tenancy/request-context";
import { principalOf, tenantOf } from "@factory/runtime/tenancy/tenant";
import type { EventType } from "@factory/schema/event-names";
import { allEventTypes, isEventType, mayRead, requireReadable } from "../event-access/event-access.js";
import { EventFeed, type FeedSource } from "./event-feed.js";

export interface EventsArguments {
  types?: readonly string[] | null;
  after?: string | null;
}

/** Opens feeds: who may see what, and from where. */
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
    const sequence = after == null ? undefined : parseCursor(after);
    if (sequence !== undefined) {
      const { newest, prunedThrough } = await this.#source.log.extent(tenant);
      if (sequence < prunedThrough)
        throw new DomainError("CURSOR_EXPIRED", {
          detail: "Events after this cursor are no longer kept: begin without a cursor.",
        });
      if (sequence > newest)
        throw new DomainError("INVALID_CURSOR", { detail: "The cursor lies ahead of every event of this tenant." });
    }
    return new EventFeed(this.#source, { tenant, types: new Set(readable), after: sequence, expiresAt });
  }
}

/** Without a wish, every type the token may read. A wish is granted whole or refused: half of it would look like silence. */
function readableTypes(principal: Principal, wished: readonly string[] | undefined): EventType[] {
  if (wished === undefined) return allEventTypes.filter((type) => mayRead(type, principal));
  if (wished.length === 0)
    throw new DomainError("VALIDATION_FAILED", { detail: "The list of types is empty.", errors: [emptyList] });
  const known = wished.filter(isEventType);
  const unknown = wished.find((type) => !isEventType(type));
  if (unknown !== undefined)
    throw new DomainError("VALIDATION_FAILED", {
      detail: `No event has the type ${unknown.slice(0, 100)}.`,
      errors: wished.flatMap(unknownType),
    });
  requireReadable(known, principal);
  return known;
}

const emptyList: FieldError = { pointer: "/types", code: "TOO_SHORT", detail: "Must name a type, or be absent." };

function unknownType(type: string, index: number): FieldError[] {
  if (isEventType(type)) return [];
  return [{ pointer: `/types/${index}`, code: "UNKNOWN_VALUE", detail: "Must be the name of a platform event." }];
}

/** A place in the tenant's own log, which webhooks show as `sequence`: of another tenant it tells and opens nothing. */
function parseCursor(cursor: string): number {
  const sequence = /^(0|[1-9]\d{0,15})$/.test(cursor) ? Number(cursor) : Number.NaN;
  if (!Number.isSafeInteger(sequence))
    throw new DomainError("INVALID_CURSOR", { detail: "The cursor must be that of an event, or 0 for the first one." });
  return sequence;
}
