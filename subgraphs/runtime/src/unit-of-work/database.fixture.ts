import { schemaConnections } from "../connections/schema-connections.js";
import { newId } from "../identifiers/wire-id.js";
import { createLogger } from "../telemetry/logger.js";
import { type Tenant, tenantWithId } from "../tenancy/tenant.js";
import { Database, type DatabaseDefinition } from "./database.js";
import { noteTable } from "./note-table.fixture.js";
import { aSuiteDatabase, aSuiteServer, type SuiteDatabase } from "./suite-database.fixture.js";

export { type Note, noteTable } from "./note-table.fixture.js";

export const quiet = createLogger("test", "silent");

export interface TestDatabase {
  readonly url: string;
  readonly definition: DatabaseDefinition;
  readonly database: Database;
  /** The pid of the postmaster. */
  readonly pid: number;
  close(): Promise<void>;
}

/** A database with the roles of one subgraph and a table of notes. */
export const aDatabase = async (): Promise<TestDatabase> => openNotes(await aSuiteDatabase("notes"));

/** As `aDatabase`, on a server that no other suite uses. */
export const aDatabaseServer = async (): Promise<TestDatabase> => openNotes(await aSuiteServer("notes"));

async function openNotes(suite: SuiteDatabase): Promise<TestDatabase> {
  const definition: DatabaseDefinition = {
    connections: schemaConnections(suite.access, "catalog"),
    entities: [noteTable],
    migrations: [],
  };
  const database = await Database.open(definition, quiet);
  return {
    url: suite.url,
    definition,
    database,
    pid: suite.pid,
    async close() {
      await database.close();
      await suite.close();
    },
  };
}

export const aTenant = (): Tenant => tenantWithId(newId("ten"));

/** Polls until the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 180_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("not in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
