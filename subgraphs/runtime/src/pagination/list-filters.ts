import type { IdPrefix } from "@factory/schema/id-prefixes";
import type { InvalidEnumValue } from "../errors/invalid-enum-value.js";
import { decodeId } from "../identifiers/wire-id.js";
import { checkedTime } from "../input-validation/checked-time.js";

/** A list condition that a caller may add. Without a value it is satisfied by every row. */
interface ListFilter {
  /** The SQL condition. `place` is the parameter with its type, for example `$3`. */
  readonly condition: (place: string) => string;
  /** The parameter for a value that is not null. Undefined: no row can satisfy the condition. */
  readonly parameter: (value: never, pointer: string) => unknown;
  /** The values that a caller may ask for; without it every value is allowed. */
  readonly allowed?: readonly string[];
}

const optional = (place: string, type: string, condition: string) => `(${place}::${type} is null or ${condition})`;

/** Rows whose column holds the id. An id that is not well formed matches nothing. */
export const idFilter = (prefix: IdPrefix, column: string): ListFilter => ({
  condition: (place) => optional(place, "uuid", `${column} = ${place}`),
  parameter: (id: string) => decodeId(prefix, id),
});

/** One parent's rows; every request has the parent's id. An index on the column serves it. */
export const parentFilter = (prefix: IdPrefix, column: string): ListFilter => ({
  condition: (place) => `${column} = ${place}`,
  parameter: (id: string) => decodeId(prefix, id),
});

/** Rows whose column, or SQL expression, has an allowed value. Other values are refused. */
export const enumFilter = (
  allowedValues: readonly string[] | Readonly<Record<string, unknown>>,
  column: string,
): ListFilter => ({
  condition: (place) => optional(place, "text", `${column} = ${place}`),
  parameter: (value: string) => value,
  allowed: Array.isArray(allowedValues) ? allowedValues : Object.keys(allowedValues),
});

/** Rows whose column has this text. */
export const textFilter = (column: string): ListFilter => textCondition((place) => `${column} = ${place}`);

/** Rows that satisfy an SQL condition with the text, which is a parameter. */
export const textCondition = (condition: (place: string) => string): ListFilter => ({
  condition: (place) => optional(place, "text", condition(place)),
  parameter: (value: string) => value,
});

/** Rows whose column is true or false. */
export const booleanFilter = (column: string): ListFilter => ({
  condition: (place) => optional(place, "boolean", `${column} = ${place}`),
  parameter: (value: boolean) => value,
});

/** Rows whose column is this time or later. Throws VALIDATION_FAILED for another text than a time. */
export const sinceFilter = (column: string): ListFilter => ({
  condition: (place) => optional(place, "timestamptz", `${column} >= ${place}`),
  parameter: (value: string, pointer) => checkedTime(value, pointer),
});

export type ListFilters = Readonly<Record<string, ListFilter>>;

/** The values in a request that are not allowed. */
export function invalidValues(
  filters: ListFilters,
  askedValues: Readonly<Record<string, unknown>>,
): InvalidEnumValue[] {
  return Object.entries(filters).flatMap(([name, { allowed }]) =>
    allowed === undefined || askedValues[name] == null || allowed.includes(askedValues[name] as string)
      ? []
      : [{ pointer: `/filter/${name}`, allowed }],
  );
}
