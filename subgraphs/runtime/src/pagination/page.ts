import { DomainError } from "../errors/domain-error.js";
import type { PageInfo } from "./page-info.type.js";

const defaultPageSize = 50;
const maxPageSize = 200;

/** The part of a list that a request asks for. */
export interface PageBounds {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** A list's arguments. */
export interface PageRequest<Filter> extends PageBounds {
  readonly sort?: string | null | undefined;
  readonly filter?: Filter | null | undefined;
}

/** A page: how many items after a cursor, or where it is read from its end, before one. */
interface PageReach {
  readonly size: number;
  /** Undefined: the page begins where the list does, or ends where it ends. */
  readonly cursor: string | undefined;
  readonly backward: boolean;
}

/**
 * The page that the bounds name. Throws VALIDATION_FAILED for a size outside the bounds, which REST's facade lowers
 * before, and for bounds in both directions.
 */
export function pageReach({ first, after, last, before }: PageBounds): PageReach {
  const backward = last != null || before != null;
  if (backward && (first != null || after != null))
    throw new DomainError("VALIDATION_FAILED", {
      detail: "A page has one direction: first and after, or last and before.",
      errors: [
        {
          pointer: last == null ? "/before" : "/last",
          code: "INVALID_FORMAT",
          detail: "Must not be given together with first or after.",
        },
      ],
    });
  const size = backward ? last : first;
  if (size != null && (size < 1 || size > maxPageSize))
    throw new DomainError("VALIDATION_FAILED", {
      detail: `The page size must be from 1 to ${maxPageSize}.`,
      errors: [
        {
          pointer: backward ? "/last" : "/first",
          code: "OUT_OF_RANGE",
          detail: `Must be from 1 to ${maxPageSize}.`,
        },
      ],
    });
  return { size: size ?? defaultPageSize, cursor: (backward ? before : after) ?? undefined, backward };
}

/** Reads a page, and one item more, from a list in memory, which it sorts by the items' keys. */
export function pageOf<Item>(
  items: readonly Item[],
  { size, backward }: PageReach,
  { keyOf, cursorKey }: { keyOf: (item: Item) => string; cursorKey: string | undefined },
): Item[] {
  const isInReach = (key: string) => cursorKey === undefined || (backward ? key < cursorKey : key > cursorKey);
  return items
    .filter((item) => isInReach(keyOf(item)))
    .sort((a, b) => (keyOf(a) < keyOf(b) === backward ? 1 : -1))
    .slice(0, size + 1);
}

/** One page from a list: Relay's members, and `items` and `nextCursor` for REST. */
export interface Connection<Node> {
  edges: { cursor: string; node: Node }[];
  pageInfo: PageInfo;
  items: Node[];
  nextCursor: string | null;
}

/**
 * Builds a page from its nodes in the order in which they were read, so backward from the end. There is one node more
 * than the page has where the list goes on.
 */
export function connectionOf<Node>(
  nodes: readonly Node[],
  { size, cursor, backward }: PageReach,
  cursorOf: (node: Node) => string,
): Connection<Node> {
  const items = nodes.slice(0, size);
  if (backward) items.reverse();
  const edges = items.map((node) => ({ cursor: cursorOf(node), node }));
  const goesOn = nodes.length > size;
  const hasNextPage = backward ? cursor !== undefined : goesOn;
  const endCursor = edges.at(-1)?.cursor ?? null;
  return {
    edges,
    items,
    nextCursor: hasNextPage ? endCursor : null,
    pageInfo: {
      hasNextPage,
      hasPreviousPage: backward ? goesOn : cursor !== undefined,
      startCursor: edges[0]?.cursor ?? null,
      endCursor,
    },
  };
}
