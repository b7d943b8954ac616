import { nilUuid } from "../identifiers/nil-uuid.js";
import type { SealedTable } from "./sealed-table.js";

/** So many rows are read and written at once. */
export const resealedAtOnce = 200;

const lowest = { uuid: nilUuid, integer: "-2147483648", text: "" } as const;

/** A place before the first row in primary-key order. */
export const beforeAll = ({ key }: SealedTable): string[] => Object.values(key).map((type) => lowest[type]);

/** The rows whose value is outdated, after a place in primary-key order. */
export function outdatedRows({ table, key, columns, holds, outdated }: SealedTable): string {
  const names = Object.keys(key);
  const place = Object.values(key).map((type, index) => `$${index + 2}::${type}`);
  return `select ${names.map((name) => `stored.${name}::text as ${name}`).join(", ")},
      ${Object.keys(columns)
        .map((name) => `stored.${name}`)
        .join(", ")}
    from ${table} stored where ${holds} and ${outdated} and (${list("stored", names)}) > (${place.join(", ")})
    order by ${list("stored", names)} limit ${resealedAtOnce}`;
}

export const outdatedCount = ({ table, holds, outdated }: SealedTable): string =>
  `select count(*)::int as count from ${table} where ${holds} and ${outdated}`;

/**
 * Writes renewed values. A row that has changed since it was read keeps its value, and a row that another transaction
 * has locked is left for the next pass: this statement never waits for a lock, so it takes part in no deadlock.
 */
export function renewRows({ table, key, columns }: SealedTable): string {
  const keys = Object.entries(key);
  const values = Object.entries(columns);
  const names = keys.map(([name]) => name);
  const types = [...keys, ...values, ...values].map(([, type], index) => `$${index + 1}::${type}[]`);
  const members = [...names, ...values.map(([name]) => `former_${name}`), ...values.map(([name]) => `renewed_${name}`)];
  const equality = (first: string, other: string) =>
    names.map((name) => `${first}.${name} = ${other}.${name}`).join(" and ");
  return `with renewed as (select * from unnest(${types.join(", ")}) as renewed(${members.join(", ")})),
    free as (
      select ${list("stored", names)} from ${table} stored join renewed on ${equality("stored", "renewed")}
      where ${values.map(([name]) => `stored.${name} = renewed.former_${name}`).join(" and ")}
      for update of stored skip locked)
    update ${table} stored set ${values.map(([name]) => `${name} = renewed.renewed_${name}`).join(", ")}
    from renewed join free on ${equality("free", "renewed")} where ${equality("stored", "free")}
    returning 1`;
}

const list = (table: string, names: readonly string[]) => names.map((name) => `${table}.${name}`).join(", ");
