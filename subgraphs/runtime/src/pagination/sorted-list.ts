import { DomainError } from "../errors/domain-error.js";
import type { CursorSeal } from "./cursor.js";
import { type Connection, connectionOf, type PageRequest, pageSize } from "./page.js";

/** A column by which a list can be sorted. It needs an index. */
export interface SortColumn<Node> {
  readonly column: string;
  readonly type: "text" | "timestamptz" | "uuid" | "integer" | "bigint";
  /** True when no two rows of one list have the same value. Otherwise the ID orders equal values. */
  readonly unique?: boolean;
  /**
   * The value of a row in its cursor, exactly as the column has it. A time of the API has milliseconds, so its column is
   * a `timestamptz(3)`, or holds only what this process has written, or `of` is the text of the column.
   */
  readonly of: (node: Node) => string;
}

/** The parts of a page's statement that depend on the order. */
export interface PageCut {
  /** A condition that begins with `and`; empty on the first page. */
  readonly after: string;
  readonly order: string;
  readonly limit: string;
  readonly descending: boolean;
}

export interface SortedListDefinition<Node, Statement> {
  readonly list: string;
  readonly columns: Readonly<Record<string, SortColumn<Node>>>;
  readonly id: SortColumn<Node>;
  /** A name of `columns`; with `-` before it the list descends. */
  readonly byDefault: string;
  /** The number of the first parameter of the page, after the parameters of the list. */
  readonly firstParameter: number;
  /** The `name` of the statement differs for each order and for the first page. */
  readonly statement: (name: string, cut: PageCut) => Statement;
}

interface SortOrder<Node, Statement> {
  readonly keys: readonly SortColumn<Node>[];
  readonly first: Statement;
  readonly next: Statement;
}

export interface SortedPage<Node, Statement> {
  readonly statement: Statement;
  /** The position at which the page begins: one value for each key of the order; none on the first page. */
  readonly position: readonly unknown[];
  /** The page size and one more row, which shows whether there is a next page. */
  readonly count: number;
  /** The values of the parameters from `firstParameter` on: position and count. */
  readonly values: readonly unknown[];
  readonly connection: (nodes: readonly Node[]) => Connection<Node>;
}

/**
 * A list that can be sorted by each of its columns in both directions. Each order has one statement for its first page
 * and one for the others, so that PostgreSQL always uses the index. A cursor is valid for the order in which it was made.
 */
export class SortedList<Node, Statement> {
  readonly #definition: SortedListDefinition<Node, Statement>;
  readonly #orders: ReadonlyMap<string, SortOrder<Node, Statement>>;

  constructor(definition: SortedListDefinition<Node, Statement>) {
    this.#definition = definition;
    this.#orders = new Map(
      Object.entries(definition.columns).flatMap(([name, column]) => [
        [name, orderBy(definition, column, "asc")],
        [`-${name}`, orderBy(definition, column, "desc")],
      ]),
    );
  }

  /** The description of the argument `sort`. */
  get description(): string {
    const { columns, byDefault } = this.#definition;
    const names = Object.keys(columns).join(", ");
    return `The order of the list: ${names}. Put a \`-\` before the name for descending order. Default: ${byDefault}.`;
  }

  get statements(): Statement[] {
    return [...this.#orders.values()].flatMap(({ first, next }) => [first, next]);
  }

  /** `scope`: the tenant and filters to which a cursor is bound, in addition to the list and its order. */
  page(
    cursors: CursorSeal,
    scope: Readonly<Record<string, unknown>>,
    { first, after, sort }: PageRequest<unknown>,
  ): SortedPage<Node, Statement> {
    const size = pageSize(first);
    const { list, byDefault } = this.#definition;
    const asked = sort ?? byDefault;
    const order = this.#orders.get(asked) ?? this.#unknown();
    const bound = { ...scope, list, ...(asked === byDefault ? {} : { sort: asked }) };
    // Cursors of earlier releases hold an ID beside a unique value.
    const position = after == null ? [] : [cursors.open(bound, after)].flat().slice(0, order.keys.length);
    // A single value is stored without an array.
    const positionOf = (values: string[]) => (values.length === 1 ? values[0] : values);
    const cursorOf = (node: Node) => cursors.seal(bound, positionOf(order.keys.map((key) => key.of(node))));
    return {
      statement: after == null ? order.first : order.next,
      position,
      count: size + 1,
      values: [...position, size + 1],
      connection: (nodes) => connectionOf(nodes, { size, after, cursorOf }),
    };
  }

  #unknown(): never {
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The list cannot be sorted by this value. See errors for the values that are allowed.",
      errors: [
        { pointer: "/sort", code: "UNKNOWN_VALUE", detail: `Must be one of ${[...this.#orders.keys()].join(", ")}.` },
      ],
    });
  }
}

function orderBy<Node, Statement>(
  { list, id, firstParameter, statement }: SortedListDefinition<Node, Statement>,
  column: SortColumn<Node>,
  direction: "asc" | "desc",
): SortOrder<Node, Statement> {
  const keys = column.unique === true ? [column] : [column, id];
  const columns = keys.map((key) => key.column);
  const places = keys.map(({ type }, at) => `$${firstParameter + at}::${type}`);
  const descending = direction === "desc";
  const order = columns.map((name) => `${name} ${direction}`).join(", ");
  const after = `and (${columns.join(", ")}) ${descending ? "<" : ">"} (${places.join(", ")})`;
  const name = `${list}_by_${column.column}_${direction}`;
  return {
    keys,
    first: statement(name, { after: "", order, limit: `$${firstParameter}`, descending }),
    next: statement(`${name}_next`, { after, order, limit: `$${firstParameter + keys.length}`, descending }),
  };
}
