import type { Client } from "pg";
import type { Progress } from "./sealed-folder/progress.js";
import { ours } from "./table-list-statement.js";

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Drops all foreign keys, so that tables are filled in any order and each key is checked once. Returns the function that
 * adds and checks them again.
 */
export async function detachForeignKeys(client: Client): Promise<(progress: Progress) => Promise<void>> {
  const { rows: keys } = await client.query<ForeignKey>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(pg_constraint.oid) as definition
     from pg_constraint join pg_namespace n on n.oid = connamespace
     where contype = 'f' and conparentid = 0 and ${ours} order by 1, 2`,
  );
  for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${name}`);
  return async (progress) => {
    for (const { table, name, definition } of keys) {
      progress.step(`reference ${name} of ${table}`);
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
    }
  };
}
