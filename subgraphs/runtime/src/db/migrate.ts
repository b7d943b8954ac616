import { MikroORM } from "@mikro-orm/postgresql";
import { Client } from "pg";
import { type DatabaseDefinition, ormOptions } from "./database.js";

const migrationLock = 4_000_002;

/** Runs what is pending as the schema's owner; a second process waits for the first. */
export async function migrate(definition: DatabaseDefinition): Promise<number> {
  const { owner, schema } = definition.connections;
  const lock = new Client({ connectionString: owner });
  await lock.connect();
  const orm = await MikroORM.init(ormOptions(definition, owner));
  try {
    await lock.query("select pg_advisory_lock($1, hashtext($2))", [migrationLock, schema]);
    return (await orm.migrator.up()).length;
  } finally {
    await orm.close(true);
    await lock.end();
  }
}
