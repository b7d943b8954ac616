import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EntitySchema } from "@mikro-orm/core";
import { MikroORM } from "@mikro-orm/postgresql";
import { schemaConnections } from "../connections/schema-connections.js";
import { tenantTable } from "../db/tenant-table.js";
import { newId } from "../identifiers/wire-id.js";
import { startReadyPostgres } from "../postgres/ready-postgres.fixture.js";
import { removeDataDirectory } from "../postgres/remove-cluster.js";
import { provisionDatabase } from "../provisioning/provision-database.js";
import { createLogger } from "../telemetry/logger.js";
import { type Tenant, tenantWithId } from "../tenancy/tenant.js";
import { Database, type DatabaseDefinition, ormOptions } from "./database.js";

export interface Note {
  tenantId: string;
  noteId: string;
  text: string;
}

export const noteTable = new EntitySchema<Note>({
  name: "Note",
  ...tenantTable("notes"),
  properties: {
    tenantId: { type: "uuid", primary: true },
    noteId: { type: "uuid", primary: true },
    text: { type: "text" },
  },
});

export const quiet = createLogger("test", "silent");

export interface TestDatabase {
  readonly url: string;
  readonly definition: DatabaseDefinition;
  readonly database: Database;
  /** The pid of the postmaster. */
  readonly pid: number;
  close(): Promise<void>;
}

/** A real PostgreSQL with the roles of one subgraph and a table of notes. */
export async function aDatabase(): Promise<TestDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), "factory-runtime-"));
  const server = await startReadyPostgres({ dataDir, logger: quiet });
  await provisionDatabase(server.url, ["catalog"]);
  const definition: DatabaseDefinition = {
    connections: schemaConnections(server.url, "catalog"),
    entities: [noteTable],
    migrations: [],
  };
  const owner = await MikroORM.init(ormOptions(definition, definition.connections.owner));
  const sql = await owner.schema.getCreateSchemaSQL();
  await owner.em.getConnection().execute(sql.replace(/create schema if not exists [^;]*;/, ""));
  await owner.close(true);
  const database = await Database.open(definition, quiet);
  return {
    url: server.url,
    definition,
    database,
    pid: server.pid,
    async close() {
      await database.close();
      await server.stop();
      await removeDataDirectory(dataDir, quiet);
    },
  };
}

export const aTenant = (): Tenant => tenantWithId(newId("ten"));

/** Polls until the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 30_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("not in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
