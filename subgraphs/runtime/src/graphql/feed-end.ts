import { DomainError, type ErrorFacts } from "../errors/domain-error.js";

/** The last item in a feed that did not end by the subscriber's own wish: the resolver answers with its reason. */
export class FeedEnd {
  constructor(readonly reason: unknown) {}

  /** The reason's members that tell where to go on. */
  get place(): Pick<ErrorFacts, "cursor" | "after"> {
    if (!(this.reason instanceof DomainError)) return {};
    const { cursor, after } = this.reason.facts;
    return { ...(cursor === undefined ? {} : { cursor }), ...(after === undefined ? {} : { after }) };
  }
}

/** The cursor of a feed's item: a subscription that begins after it gets the next item. */
export function cursorOf(item: unknown): string | undefined {
  const place = item instanceof FeedEnd ? (item.place.cursor ?? item.place.after) : sequenceOf(item);
  return typeof place === "string" || typeof place === "number" ? String(place) : undefined;
}

const sequenceOf = (item: unknown) => (item as { readonly sequence?: unknown } | null | undefined)?.sequence;
