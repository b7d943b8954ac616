import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { CursorSeal } from "@factory/runtime/pagination/cursor";
import { startReadyPostgres } from "@factory/runtime/postgres/ready-postgres.fixture";
import { removeDataDirectory } from "@factory/runtime/postgres/remove-cluster";
import { provisionDatabase } from "@factory/runtime/provisioning/provision-database";
import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import { Database } from "@factory/runtime/unit-of-work/database";
import { migrate } from "@factory/runtime/unit-of-work/migrate";
import { migratedContent } from "@factory/runtime/unit-of-work/migrated-content.fixture";
import type { RegisterLibraryInput } from "../libraries/library.input.js";
import { LibraryService } from "../libraries/library.service.js";
import { LibraryVersionService } from "../libraries/library-version.service.js";
import { catalogTables } from "../tables.js";
import type { SearchLibrariesInput } from "./library-search.input.js";
import { LibrarySearchService } from "./library-search.service.js";
import { SearchReader } from "./search-reader.js";

const logger = createLogger("test", "silent");
const content = migratedContent({ catalog: catalogTables });

/** The library services and the search over a real PostgreSQL. */
export async function aLibrarySearch() {
  const dataDir = await mkdtemp(join(tmpdir(), "library-search-"));
  const server = await startReadyPostgres({ dataDir, logger, content });
  await provisionDatabase(server.url, ["catalog"]);
  const connections = schemaConnections(server.url, "catalog");
  const definition = { connections, ...catalogTables };
  await migrate(definition);
  const database = await Database.open(definition, logger);
  const reader = new CountedReader(connections.app, logger);
  const libraries = new LibraryService(database);
  const search = new LibrarySearchService(
    reader,
    new CursorSeal(new MasterKeys(randomBytes(32)).keyring("factory catalog list cursors")),
  );
  return {
    url: server.url,
    definition,
    connections,
    database,
    versions: new LibraryVersionService(database),
    reader,
    register: (context: RequestContext, input: RegisterLibraryInput) => libraries.register(context, input),
    search: (context: RequestContext, input: SearchLibrariesInput) => search.search(context, input),
    async close() {
      await reader.close();
      await database.close();
      await server.stop();
      await removeDataDirectory(dataDir, logger);
    },
  };
}

export type LibrarySearchFixture = Awaited<ReturnType<typeof aLibrarySearch>>;

/** A reader that counts the statements it sends. */
class CountedReader extends SearchReader {
  statements = 0;

  override rows: SearchReader["rows"] = (select, tenant, values) => {
    this.statements += 1;
    return super.rows(select, tenant, values);
  };
}

/** A caller of a new tenant. */
export function aCaller(tenantId = newId("ten")): RequestContext {
  const principal = {
    subject: newId("cli"),
    clientId: "client",
    tenantId,
    tenantSlug: "acme",
    scopes: new Set(["libraries.read", "libraries.write"] as const),
    principalType: "Service" as const,
    platformAdmin: false,
    agentTaskId: undefined,
    roles: [],
    tokenId: "token",
    expiresAt: Math.floor(Date.now() / 1000) + 900,
  };
  return requestContext({ principal, trace: continueTrace(undefined), idempotencyKey: undefined });
}
