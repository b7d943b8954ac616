import type { QueryResultRow } from "pg";
import type { KeyStatement } from "./key-statement.js";
import type { TenantStatement } from "./tenant-statement.js";

type Query = (statement: TenantStatement, values: unknown[]) => Promise<QueryResultRow[]>;
type Key = readonly unknown[];

interface Ask {
  readonly key: Key;
  readonly resolve: (row: QueryResultRow | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

/** The keys that are read together. */
interface Group {
  readonly statement: KeyStatement;
  readonly tenantUuid: string;
  readonly asks: Ask[];
}

/** More keys in one statement would make the reads behind it on the same connection wait. */
const maxKeys = 200;

/**
 * Reads rows by their keys. One statement reads all keys that are asked for before the event loop goes on, as the fields
 * of a list are. A key that is asked for alone, as in most requests, costs little more than its statement.
 */
export class KeyedReads {
  readonly #query: Query;
  #groups: Group[] = [];

  constructor(query: Query) {
    this.#query = query;
  }

  row(statement: KeyStatement, tenantUuid: string, key: Key): Promise<QueryResultRow | undefined> {
    return new Promise((resolve, reject) => {
      this.#groupOf(statement, tenantUuid).asks.push({ key, resolve, reject });
    });
  }

  #groupOf(statement: KeyStatement, tenantUuid: string): Group {
    const openGroup = this.#groups.find((group) => group.statement === statement && group.tenantUuid === tenantUuid);
    if (openGroup) return openGroup;
    if (this.#groups.length === 0) process.nextTick(() => this.#closeGroups());
    const group: Group = { statement, tenantUuid, asks: [] };
    this.#groups.push(group);
    return group;
  }

  #closeGroups(): void {
    const groups = this.#groups;
    this.#groups = [];
    for (const { statement, tenantUuid, asks } of groups) {
      for (const part of partsOf(asks)) {
        const keys = part.map(([ask]) => ask.key);
        this.#read(statement, tenantUuid, keys).then(
          (rows) => part.forEach((equalAsks, place) => equalAsks.forEach(({ resolve }) => resolve(rows[place]))),
          (error: unknown) => part.flat().forEach(({ reject }) => reject(error)),
        );
      }
    }
  }

  /** The rows at the places of their keys. */
  async #read(
    statement: KeyStatement,
    tenantUuid: string,
    keys: readonly Key[],
  ): Promise<(QueryResultRow | undefined)[]> {
    const [firstKey = [], ...otherKeys] = keys;
    if (otherKeys.length === 0) return this.#query(statement, [tenantUuid, ...firstKey]);
    const arrays = firstKey.map((_, part) => keys.map((key) => key[part]));
    const rows = await this.#query(statement.several, [tenantUuid, ...arrays]);
    const placedRows: (QueryResultRow | undefined)[] = [];
    for (const { key_place: place, ...row } of rows) placedRows[place - 1] = row;
    return placedRows;
  }
}

type EqualAsks = [Ask, ...Ask[]];

/** Asks for the same key are together, and a part has at most `maxKeys` keys. */
function partsOf(asks: readonly Ask[]): EqualAsks[][] {
  const [onlyAsk] = asks;
  if (onlyAsk && asks.length === 1) return [[[onlyAsk]]];
  const equalAsks = new Map<string, EqualAsks>();
  for (const ask of asks) {
    const name = JSON.stringify(ask.key);
    const others = equalAsks.get(name);
    if (others) others.push(ask);
    else equalAsks.set(name, [ask]);
  }
  const all = [...equalAsks.values()];
  const starts = Array.from({ length: Math.ceil(all.length / maxKeys) }, (_, part) => part * maxKeys);
  return starts.map((start) => all.slice(start, start + maxKeys));
}
