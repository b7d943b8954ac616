import type { Migration } from "@mikro-orm/migrations";
import { MikroORM } from "@mikro-orm/postgresql";
import { Client } from "pg";
import { identifier, withRoleNames } from "../connections/database-roles.js";
import type { SchemaConnections } from "../connections/schema-connections.js";
import { advisoryLocks } from "../db/advisory-locks.js";
import { takeTurn } from "../db/turn-lock.js";
import { type DatabaseDefinition, ormOptions } from "./database.js";
import { type MergedMigration, recordedMigrations, recordMerged, runMerged } from "./merged-migration.js";

type ListedMigration = DatabaseDefinition["migrations"][number];

/** The part of a migration that takes its statements. */
interface SqlCollector {
  addSql(sql: Parameters<Migration["addSql"]>[0]): void;
}

/**
 * Runs pending migrations as the owner of the schema. A new database gets the merged migration in the place of those that it
 * replaces; any other one runs the replaced ones that it lacks. A second process waits for the first. Returns how many ran.
 */
export async function migrate(definition: DatabaseDefinition): Promise<number> {
  const { owner, schema } = definition.connections;
  const lock = new Client({ connectionString: owner });
  await lock.connect();
  try {
    await takeTurn(lock, [advisoryLocks.migration, schema], `the migration of the schema ${schema} by another process`);
    const applied = await runPending(definition, lock);
    await lock.query(ownersAlone(definition.connections));
    return applied;
  } finally {
    await lock.end();
  }
}

async function runPending(definition: DatabaseDefinition, lock: Client): Promise<number> {
  const { connections, migrations } = definition;
  const merged = wholeMerged(definition);
  let recorded = await recordedMigrations(lock, connections.schema);
  let applied = 0;
  if (merged && recorded.size === 0) {
    await runMerged(lock, connections, merged);
    recorded = new Set([...merged.replaces, merged.name]);
    applied += 1;
  }
  // Most starts find nothing to do, and loading the ORM for that would be slow.
  if (migrations.some(({ name }) => !recorded.has(name))) applied += await apply(definition);
  if (merged && !recorded.has(merged.name)) await recordMerged(lock, connections.schema, merged);
  return applied;
}

/** The merged migration, if the list has all migrations that it replaces. A restore or a test may have a shorter list. */
function wholeMerged({ merged, migrations }: DatabaseDefinition): MergedMigration | undefined {
  const listed = new Set(migrations.map(({ name }) => name));
  return merged?.replaces.every((name) => listed.has(name)) ? merged : undefined;
}

async function apply(definition: DatabaseDefinition): Promise<number> {
  const { connections, migrations } = definition;
  const named = { ...definition, migrations: migrations.map((migration) => withNamedRoles(migration, connections)) };
  const orm = await MikroORM.init(ormOptions(named, connections.owner));
  try {
    return (await orm.migrator.up()).length;
  } finally {
    await orm.close(true);
  }
}

/** The same migration with the names that the roles have in this database. */
function withNamedRoles(migration: ListedMigration, { schema, roles }: SchemaConnections): ListedMigration {
  const listed = typeof migration === "function" ? migration : migration.class;
  const written = listed as unknown as new (...given: unknown[]) => SqlCollector;
  class Named extends written {
    override addSql(sql: Parameters<Migration["addSql"]>[0]): void {
      super.addSql(typeof sql === "string" ? withRoleNames(sql, schema, roles) : sql);
    }
  }
  return { name: migration.name, class: Named as unknown as typeof listed };
}

/** Default privileges open each new table to both roles. The table of migrations must stay closed to them. */
const ownersAlone = ({ schema, roles: { app, worker } }: SchemaConnections): string => `do $owners_alone$ begin
  if exists (select from pg_class, aclexplode(relacl) where relnamespace = '${schema}'::regnamespace
    and relname in ('migrations', 'migrations_id_seq') and grantee <> relowner) then
    revoke all on ${schema}.migrations from public, ${identifier(app)}, ${identifier(worker)};
    revoke all on sequence ${schema}.migrations_id_seq from public, ${identifier(app)}, ${identifier(worker)};
  end if;
end $owners_alone$`;
