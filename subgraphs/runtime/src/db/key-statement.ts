import { type TenantStatement, tenantStatement } from "./tenant-statement.js";

type KeyType = "uuid" | "text";

/** A tenant's prepared read of one row by its key: `$2`, or `$2` and `$3` for a key with two parts. */
export interface KeyStatement extends TenantStatement {
  /** The same read of several rows. Each parameter is an array; `key_place` is a row's place in them, from 1 on. */
  readonly several: TenantStatement;
}

/** Makes a key statement. Its `select` must use `scope.tenant`, as in a tenant statement. */
export function keyStatement(name: string, select: string, ...keyTypes: readonly KeyType[]): KeyStatement {
  const types = keyTypes.length > 0 ? keyTypes : ["uuid"];
  const arrays = types.map((type, part) => `$${part + 2}::${type}[]`);
  const names = types.map((_, part) => `key_${part + 2}`);
  return {
    ...tenantStatement(name, select),
    several: tenantStatement(
      `several_${name}`,
      `select wanted.key_place::int, keyed.*
       from unnest(${arrays.join()}) with ordinality wanted(${names.join()}, key_place)
       cross join lateral (${select.replace(/\$([23])/g, "wanted.key_$1")} offset 0) keyed`,
    ),
  };
}
