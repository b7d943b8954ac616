import { type NamedStatement, namedStatement } from "./named-parameters.js";
import type { PreparedStatement } from "./transaction-dialect.js";

/** A prepared read that sets the tenant and selects in one statement, so it needs one round trip. */
export type TenantStatement = PreparedStatement;

/**
 * Makes a tenant statement. `select` must use `scope.tenant` in its WHERE clause: this dependency makes PostgreSQL
 * evaluate `set_config` before it opens the table, so the row-level policy compares with this tenant. OFFSET 0 keeps the
 * planner from changing that order. `$1` is the tenant; other parameters have names (`$name`), or numbers from `$2` on.
 */
export function tenantStatement(name: string, select: string): NamedStatement {
  if (!select.includes("scope.tenant")) throw new Error(`Statement ${name} does not depend on scope.tenant`);
  const statement = namedStatement(name, select, 2);
  return {
    ...statement,
    text: `select found.* from (select set_config('app.tenant', $1, true)::uuid as tenant offset 0) scope cross join lateral (${statement.text} offset 0) found`,
  };
}
