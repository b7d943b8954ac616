import type { SubgraphName } from "@factory/schema/subgraph-names";
import { MikroORM } from "@mikro-orm/postgresql";
import { Client } from "pg";
import { advisoryLocks } from "../db/advisory-locks.js";
import { type DatabaseDefinition, ormOptions } from "./database.js";

/** Runs pending migrations as the owner of the schema. A second process waits for the first. Returns how many ran. */
export async function migrate(definition: DatabaseDefinition): Promise<number> {
  const { owner, schema } = definition.connections;
  const lock = new Client({ connectionString: owner });
  await lock.connect();
  try {
    await lock.query("select pg_advisory_lock($1, hashtext($2))", [advisoryLocks.migration, schema]);
    const applied = (await areApplied(definition, lock)) ? 0 : await apply(definition);
    await lock.query(ownersAlone(schema));
    return applied;
  } finally {
    await lock.end();
  }
}

async function apply(definition: DatabaseDefinition): Promise<number> {
  const orm = await MikroORM.init(ormOptions(definition, definition.connections.owner));
  try {
    return (await orm.migrator.up()).length;
  } finally {
    await orm.close(true);
  }
}

/** Default privileges open each new table to both roles. The table of migrations must stay closed to them. */
const ownersAlone = (schema: SubgraphName): string => `do $$ begin
  if exists (select from pg_class, aclexplode(relacl) where relnamespace = '${schema}'::regnamespace
    and relname in ('migrations', 'migrations_id_seq') and grantee <> relowner) then
    revoke all on ${schema}.migrations from public, ${schema}_app, ${schema}_worker;
    revoke all on sequence ${schema}.migrations_id_seq from public, ${schema}_app, ${schema}_worker;
  end if;
end $$`;

/** Whether all migrations ran already. Most starts find nothing to do, and loading the ORM for that would be slow. */
async function areApplied({ connections, migrations }: DatabaseDefinition, client: Client): Promise<boolean> {
  const table = `${connections.schema}.migrations`;
  const { rows: found } = await client.query("select to_regclass($1) is not null as present", [table]);
  if (!found[0]?.present) return false;
  const { rows } = await client.query<{ name: string }>(`select name from ${table}`);
  const applied = new Set(rows.map(({ name }) => name));
  return migrations.every(({ name }) => applied.has(name));
}
