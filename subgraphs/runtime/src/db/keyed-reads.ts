import type { QueryResultRow } from "pg";
import type { KeyStatement } from "./key-statement.js";
import type { TenantStatement } from "./tenant-statement.js";

type Query = (statement: TenantStatement, values: unknown[]) => Promise<QueryResultRow[]>;
type Key = readonly unknown[];
type RowsByName = ReadonlyMap<string, QueryResultRow>;

/** The keys that are read together, by a name for each. */
interface Group {
  readonly keys: Map<string, Key>;
  readonly rows: Promise<RowsByName>;
}

/** More keys in one statement would make the reads behind it on the same connection wait. */
const maxKeys = 200;

/**
 * Reads rows by their keys. One statement reads all keys that are asked for before the event loop goes on, as the fields
 * of a list are.
 */
export class KeyedReads {
  readonly #query: Query;
  readonly #groups = new Map<string, Group>();

  constructor(query: Query) {
    this.#query = query;
  }

  async row(statement: KeyStatement, tenantUuid: string, key: Key): Promise<QueryResultRow | undefined> {
    const name = `${statement.name} ${tenantUuid}`;
    const openGroup = this.#groups.get(name);
    const group = openGroup && openGroup.keys.size < maxKeys ? openGroup : this.#open(name, statement, tenantUuid);
    const keyName = JSON.stringify(key);
    group.keys.set(keyName, key);
    return (await group.rows).get(keyName);
  }

  #open(name: string, statement: KeyStatement, tenantUuid: string): Group {
    const keys = new Map<string, Key>();
    const rows = new Promise((resolve) => process.nextTick(resolve)).then(() => {
      if (this.#groups.get(name) === group) this.#groups.delete(name);
      return this.#read(statement, tenantUuid, keys);
    });
    const group: Group = { keys, rows };
    this.#groups.set(name, group);
    return group;
  }

  async #read(statement: KeyStatement, tenantUuid: string, keys: ReadonlyMap<string, Key>): Promise<RowsByName> {
    const names = [...keys.keys()];
    const [firstKey = [], ...otherKeys] = keys.values();
    if (otherKeys.length === 0) {
      const [row] = await this.#query(statement, [tenantUuid, ...firstKey]);
      return new Map(row ? [[names[0] ?? "", row]] : []);
    }
    const arrays = firstKey.map((_, part) => [firstKey, ...otherKeys].map((key) => key[part]));
    const rows = await this.#query(statement.several, [tenantUuid, ...arrays]);
    return new Map(rows.map(({ key_place: place, ...row }) => [names[place - 1] ?? "", row]));
  }
}
