import type { QueryResultRow } from "pg";
import type { TenantReader } from "../db/tenant-reader.js";
import type { TenantStatement } from "../db/tenant-statement.js";
import { DomainError } from "../errors/domain-error.js";
import { invalidEnumValue } from "../errors/invalid-enum-value.js";
import { nilUuid } from "../identifiers/nil-uuid.js";
import type { Tenant } from "../tenancy/tenant.js";
import type { CursorSeal } from "./cursor.js";
import { invalidValues, type ListFilters } from "./list-filters.js";
import { type Connection, connectionOf, type PageRequest, pageReach } from "./page.js";

/** A column by which a list can be sorted. It needs an index. */
export interface SortColumn<Node> {
  readonly column: string;
  readonly type: "text" | "timestamptz" | "uuid" | "integer" | "bigint";
  /** True when no two rows in one list have the same value. Otherwise the ID orders equal values. */
  readonly unique?: boolean;
  /**
   * A row's value in its cursor, exactly as the column has it. A time in the API has milliseconds, so its column is a
   * `timestamptz(3)`, or holds only what this process has written, or `of` is the column's text.
   */
  readonly of: (node: Node) => string;
}

/** The parts that the list makes for a page's statement. */
interface PageCut {
  /** The filter conditions, each after `and`. */
  readonly filters: string;
  /** The parameter with this name in `parameters`, for example `$2`. */
  readonly place: (name: string) => string;
  /** A condition that begins with `and`; empty on the first page. */
  readonly after: string;
  readonly order: string;
  readonly limit: string;
  readonly descending: boolean;
}

interface SortedListDefinition<Node, Statement> {
  readonly list: string;
  readonly columns: Readonly<Record<string, SortColumn<Node>>>;
  readonly id: SortColumn<Node>;
  /** A name in `columns`; with `-` before it the list descends. */
  readonly byDefault: string;
  /** By the filter's members in the request. */
  readonly filters?: ListFilters;
  /**
   * Binds a cursor to the filters' parameters as earlier releases did, so that their cursors stay valid. Default: each
   * value by the filter's name. A malformed id is the nil UUID.
   */
  readonly boundTo?: (parameters: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** Names for the values that the statement needs beside the filters. */
  readonly parameters?: readonly string[];
  /** For a platform list, whose statement does not begin with the tenant as `$1`. */
  readonly ofPlatform?: true;
  /** The statement's `name` differs for each order and for the first page. */
  readonly statement: (name: string, cut: PageCut) => Statement;
}

interface SortOrder<Node, Statement> {
  readonly keys: readonly SortColumn<Node>[];
  readonly first: Statement;
  readonly next: Statement;
}

interface SortedPage<Node, Statement> {
  readonly statement: Statement;
  /** The position at which the page begins: one value for each key in the order; none on the first page. */
  readonly position: readonly unknown[];
  /** The page size and one more row, which shows whether there is a next page. */
  readonly count: number;
  /** The values for all parameters after the tenant: further parameters, filters, position and count. */
  readonly values: readonly unknown[];
  /** A filter matches nothing, so the page is empty. */
  readonly isEmpty: boolean;
  readonly connection: (nodes: readonly Node[]) => Connection<Node>;
}

/**
 * A list that can be sorted by each column in both directions. Each order has one statement for its first page and one
 * for the others, so that PostgreSQL always uses the index. A cursor is valid for the order in which it was made.
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

  /** Describes the argument `sort`. */
  get description(): string {
    const { columns, byDefault } = this.#definition;
    const names = Object.keys(columns).join(", ");
    return `The order of the list: ${names}. Put a \`-\` before the name for descending order. Default: ${byDefault}.`;
  }

  get statements(): Statement[] {
    return [...this.#orders.values()].flatMap(({ first, next }) => [first, next]);
  }

  /**
   * Begins a page. `scope` is what binds a cursor in addition to the list, its order and its filters: at least the tenant.
   * Throws PARAMETERS_INVALID for a value that a filter does not allow.
   */
  page(
    cursors: CursorSeal,
    scope: Readonly<Record<string, unknown>>,
    { sort, filter, ...bounds }: PageRequest<unknown>,
    parameters: Readonly<Record<string, unknown>> = {},
  ): SortedPage<Node, Statement> {
    const { list, byDefault, parameters: names = [] } = this.#definition;
    const filters = this.#filterValues(filter ?? {});
    const reach = pageReach(bounds);
    const askedOrder = sort ?? byDefault;
    if (!this.#orders.has(askedOrder)) this.#refuseOrder();
    const order = this.#orders.get(reach.backward ? inverse(askedOrder) : askedOrder) ?? this.#refuseOrder();
    const cursorScope = { ...scope, ...filters.bound, list, ...(askedOrder === byDefault ? {} : { sort: askedOrder }) };
    // Cursors from earlier releases hold an ID beside a unique value.
    const { cursor } = reach;
    const position = cursor === undefined ? [] : [cursors.open(cursorScope, cursor)].flat().slice(0, order.keys.length);
    const count = reach.size + 1;
    // A single value is stored without an array.
    const positionOf = (values: string[]) => (values.length === 1 ? values[0] : values);
    const cursorOf = (node: Node) => cursors.seal(cursorScope, positionOf(order.keys.map((key) => key.of(node))));
    return {
      statement: cursor === undefined ? order.first : order.next,
      position,
      count,
      values: [...names.map((name) => parameters[name]), ...filters.values, ...position, count],
      isEmpty: filters.values.includes(undefined),
      connection: (nodes) => connectionOf(nodes, reach, cursorOf),
    };
  }

  /** The filters' values as the cursor is bound to them, and as the statement needs them. */
  #filterValues(requestFilter: unknown): { bound: Readonly<Record<string, unknown>>; values: readonly unknown[] } {
    const { filters = {}, boundTo } = this.#definition;
    const filterValues = requestFilter as Readonly<Record<string, unknown>>;
    const invalid = invalidValues(filters, filterValues);
    if (invalid.length > 0) throw invalidEnumValue(invalid);
    const names = Object.keys(filters);
    const values = Object.entries(filters).map(([name, { parameter }]) =>
      filterValues[name] == null ? null : parameter(filterValues[name] as never, `/filter/${name}`),
    );
    const parameters = () => names.map((name, place) => [name, values[place] === undefined ? nilUuid : values[place]]);
    return {
      bound: boundTo
        ? boundTo(Object.fromEntries(parameters()))
        : Object.fromEntries(names.map((name) => [name, filterValues[name] ?? null])),
      values,
    };
  }

  #refuseOrder(): never {
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The list cannot be sorted by this value. See errors for the values that are allowed.",
      errors: [
        { pointer: "/sort", code: "UNKNOWN_VALUE", detail: `Must be one of ${[...this.#orders.keys()].join(", ")}.` },
      ],
    });
  }
}

/** The order in which a list is read from its end. */
const inverse = (order: string): string => (order.startsWith("-") ? order.slice(1) : `-${order}`);

interface PageReading {
  readonly reader: TenantReader;
  readonly cursors: CursorSeal;
  readonly tenant: Tenant;
  /** The statement's values beside the filter values. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** Reads one page from a tenant's list. `view` makes a node from a row. */
export async function readPage<Node, Row extends QueryResultRow>(
  list: SortedList<Node, TenantStatement>,
  { reader, cursors, tenant, parameters }: PageReading,
  request: PageRequest<unknown>,
  view: (row: Row) => Node,
): Promise<Connection<Node>> {
  const page = list.page(cursors, { tenantId: tenant.tenantId }, request, parameters);
  const rows = page.isEmpty ? [] : await reader.rows<Row>(page.statement, tenant, ...page.values);
  return page.connection(rows.map(view));
}

function orderBy<Node, Statement>(
  definition: SortedListDefinition<Node, Statement>,
  column: SortColumn<Node>,
  direction: "asc" | "desc",
): SortOrder<Node, Statement> {
  const { list, id, statement, filters = {}, parameters = [], ofPlatform } = definition;
  const names = [...parameters, ...Object.keys(filters)];
  const place = (name: string) => `$${names.indexOf(name) + (ofPlatform ? 1 : 2)}`;
  const filterConditions = Object.entries(filters).map(([name, { condition }]) => `and ${condition(place(name))}`);
  const firstParameter = names.length + (ofPlatform ? 1 : 2);
  const keys = column.unique === true ? [column] : [column, id];
  const columns = keys.map((key) => key.column);
  const places = keys.map(({ type }, at) => `$${firstParameter + at}::${type}`);
  const descending = direction === "desc";
  const order = columns.map((name) => `${name} ${direction}`).join(", ");
  const after = `and (${columns.join(", ")}) ${descending ? "<" : ">"} (${places.join(", ")})`;
  const name = `${list}_by_${column.column}_${direction}`;
  const cut = { filters: filterConditions.join(" "), place, order, descending };
  return {
    keys,
    first: statement(name, { ...cut, after: "", limit: `$${firstParameter}` }),
    next: statement(`${name}_next`, { ...cut, after, limit: `$${firstParameter + keys.length}` }),
  };
}
