import { randomBytes } from "node:crypto";
import { openPool } from "@factory/runtime/connections/pool";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { CursorSeal } from "@factory/runtime/pagination/cursor";
import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import { Database } from "@factory/runtime/unit-of-work/database";
import { aSuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import type { Scope } from "@factory/schema/scopes";
import { LibraryService } from "../../libraries/libraries/library.service.js";
import { SearchReader } from "../../libraries/library-search/search-reader.js";
import { catalogTables } from "../../tables.js";
import type { CheckedDraft, DraftContents } from "../templates/draft-contents.js";
import { TemplateService } from "../templates/template.service.js";
import { TemplateDraftService } from "../templates/template-draft.service.js";
import { TemplateVersionService } from "../templates/template-version.service.js";
import { CatalogIndex } from "./catalog-index.js";
import { CatalogSearchService } from "./catalog-search.service.js";

const logger = createLogger("test", "silent");
const all: readonly Scope[] = ["templates.read", "templates.write", "libraries.read", "libraries.write"];

/** The catalog search with the services that write templates and libraries, over a real PostgreSQL. */
export async function aCatalogSearch() {
  const suite = await aSuiteDatabase("catalog");
  const connections = schemaConnections(suite.access, "catalog");
  const database = await Database.open({ connections, ...catalogTables }, logger);
  const reader = new SearchReader(connections.app, logger);
  // one connection, so that a test's transaction has its statements
  const admin = openPool(`${suite.url}?options=-c%20search_path%3Dcatalog`, 1, logger);
  const cursors = new CursorSeal(new MasterKeys(randomBytes(32)).keyring("factory catalog list cursors"));
  const templates = new TemplateService(database);
  const versions = new TemplateVersionService(database, templates);
  const searchWith = (options: Partial<ConstructorParameters<typeof CatalogIndex>[0]>) =>
    new CatalogSearchService(new CatalogIndex({ database, logger, ...options }), reader, cursors);
  return {
    admin,
    database,
    templates,
    libraries: new LibraryService(database),
    drafts: (description: object) =>
      new TemplateDraftService({ database, templates, versions, contents: contentsWith(description) }),
    /** A search with its own index, as another process has it. */
    searchWith,
    search: searchWith({}),
    async close() {
      await admin.end();
      await reader.close();
      await database.close();
      await suite.close();
    },
  };
}

/** A tenant's caller, by default for a new tenant. */
export function aCatalogCaller(tenantId = newId("ten"), scopes = all): RequestContext {
  const principal = {
    subject: newId("cli"),
    clientId: "client",
    tenantId,
    tenantSlug: "acme",
    scopes: new Set(scopes),
    principalType: "Service" as const,
    platformAdmin: false,
    agentTaskId: undefined,
    roles: [],
    tokenId: "token",
    expiresAt: Math.floor(Date.now() / 1000) + 900,
  };
  return requestContext({ principal, trace: continueTrace(undefined), idempotencyKey: undefined });
}

/** Draft contents that have these texts, without a source. */
function contentsWith(description: object): DraftContents {
  const details = { description, localizations: {} };
  const content = { resolvedRef: "stored://a", contentDigest: null, facts: null, details };
  const schema = { parameterSchema: { type: "object" }, parameterSchemaOrigin: "Derived" };
  return {
    prepare: async (_context: RequestContext, _subject: string, input: CheckedDraft) => {
      const { givenSchema: _, ...draft } = input;
      return { ...draft, ...content, ...schema };
    },
  } as unknown as DraftContents;
}
