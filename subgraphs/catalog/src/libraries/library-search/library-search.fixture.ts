import { randomBytes } from "node:crypto";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { CursorSeal } from "@factory/runtime/pagination/cursor";
import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import { Database } from "@factory/runtime/unit-of-work/database";
import { aSuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import { catalogTables } from "../../tables.js";
import type { RegisterLibraryInput } from "../libraries/library.input.js";
import { LibraryService } from "../libraries/library.service.js";
import { LibraryVersionService } from "../libraries/library-version.service.js";
import type { SearchLibrariesInput } from "./library-search.input.js";
import { LibrarySearchService } from "./library-search.service.js";
import { SearchReader } from "./search-reader.js";

const logger = createLogger("test", "silent");

/** The library services and the search over a real PostgreSQL. */
export async function aLibrarySearch() {
  const suite = await aSuiteDatabase("catalog");
  const connections = schemaConnections(suite.access, "catalog");
  const definition = { connections, ...catalogTables };
  const database = await Database.open(definition, logger);
  const reader = new CountedReader(connections.app, logger);
  const libraries = new LibraryService(database);
  const search = new LibrarySearchService(
    reader,
    new CursorSeal(new MasterKeys(randomBytes(32)).keyring("factory catalog list cursors")),
  );
  return {
    url: suite.url,
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
      await suite.close();
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

/** A caller in a new tenant. */
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
