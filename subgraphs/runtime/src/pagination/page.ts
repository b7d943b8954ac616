import { DomainError } from "../errors/domain-error.js";
import type { PageInfo } from "./page-info.type.js";

const defaultPageSize = 50;
const maxPageSize = 200;

/** The page size for a request. Throws VALIDATION_FAILED outside the bounds. REST's facade lowers a size before. */
export function pageSize(first: number | null | undefined): number {
  if (first == null) return defaultPageSize;
  if (first < 1 || first > maxPageSize)
    throw new DomainError("VALIDATION_FAILED", {
      detail: `The page size must be from 1 to ${maxPageSize}.`,
      errors: [{ pointer: "/first", code: "OUT_OF_RANGE", detail: `Must be from 1 to ${maxPageSize}.` }],
    });
  return first;
}

/** A list's arguments. */
export interface PageRequest<Filter> {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly sort?: string | null | undefined;
  readonly filter?: Filter | null | undefined;
}

/** One page from a list: Relay's members, and `items` and `nextCursor` for REST. */
export interface Connection<Node> {
  edges: { cursor: string; node: Node }[];
  pageInfo: PageInfo;
  items: Node[];
  nextCursor: string | null;
}

/** Builds a page from its nodes. `nodes` holds one node more than the page when there is a next page. */
export function connectionOf<Node>(
  nodes: readonly Node[],
  page: { size: number; after: string | null | undefined; cursorOf(node: Node): string },
): Connection<Node> {
  const items = nodes.slice(0, page.size);
  const edges = items.map((node) => ({ cursor: page.cursorOf(node), node }));
  const hasNextPage = nodes.length > page.size;
  const endCursor = edges.at(-1)?.cursor ?? null;
  return {
    edges,
    items,
    nextCursor: hasNextPage ? endCursor : null,
    pageInfo: {
      hasNextPage,
      hasPreviousPage: page.after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor,
    },
  };
}
