import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { Principal } from "@factory/runtime/auth/principal";
import { PostgresBus } from "@factory/runtime/bus/postgres-bus";
import { openPool } from "@factory/runtime/connections/pool";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { createLogger, type Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { Database } from "@factory/runtime/unit-of-work/database";
import { aSuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import { scopes as allScopes, type Scope } from "@factory/schema/scopes";
import { graphql } from "graphql";
import { catalogSettingsIn } from "./catalog-settings.fixture.js";
import { type Catalog, startCatalog } from "./subgraph.js";
import { catalogTables } from "./tables.js";

/** A catalog over an embedded PostgreSQL, with makers for test data. */
export interface CatalogFixture {
  readonly catalog: Catalog;
  readonly bus: PostgresBus;
  /** A connection as a command producer has it: its outbox is relayed. */
  readonly database: Database;
  /** Runs SQL as the superuser, so that all tenants' rows are visible. */
  rows<R>(sql: string, ...values: unknown[]): Promise<R[]>;
  /** Runs a mutation or query and returns its data. Throws its first error. */
  run<T = Record<string, unknown>>(principal: Principal, source: string): Promise<T>;
  /** Creates a Draft version. Its content has passed every check unless `validated` is false. Returns its id. */
  aTemplateVersion(principal: Principal, given?: { validated: boolean }): Promise<string>;
  /** Stores a validation result without running the checks. */
  passEveryCheck(templateVersionId: string): Promise<void>;
  /** Creates a library version that is not yet published. Returns its id. */
  aLibraryVersion(principal: Principal): Promise<string>;
  /** Creates a library with Published versions. Returns its package name. */
  aLibrary(principal: Principal, versions: readonly string[]): Promise<string>;
  close(): Promise<void>;
}

export async function startCatalogFixture(
  verifier: Verifier,
  logger: Logger = createLogger("test", "silent"),
): Promise<CatalogFixture> {
  const dataDir = await mkdtemp(join(tmpdir(), "catalog-"));
  const suite = await aSuiteDatabase("catalog");
  const connections = schemaConnections(suite.access, "catalog");
  const bus = await PostgresBus.open(connections.worker, logger);
  const catalog = await startCatalog(
    { connections, bus, logger },
    { ...catalogSettingsIn(dataDir), masterKeys: new MasterKeys(randomBytes(32)), verifier },
  );
  const database = await Database.open({ connections, ...catalogTables }, logger);
  const admin = openPool(suite.url, 2, logger);
  const rows = async <R>(sql: string, ...values: unknown[]) => (await admin.query(sql, values)).rows as R[];
  const run = async <T>(principal: Principal, source: string): Promise<T> => {
    const contextValue = requestContext({ principal, trace: continueTrace(undefined) });
    const { data, errors } = await graphql({ schema: catalog.schema, source, contextValue });
    if (errors?.[0]) throw errors[0];
    return data as T;
  };
  return {
    catalog,
    bus,
    database,
    rows,
    run,
    passEveryCheck: (templateVersionId) => passEveryCheck(rows, templateVersionId),
    async aTemplateVersion(principal, { validated } = { validated: true }) {
      const name = `t${randomBytes(6).toString("hex")}`;
      const { registerTemplate } = await run<{ registerTemplate: { templateId: string } }>(
        principal,
        `mutation { registerTemplate(input: { name: "${name}", category: "Service" }) { templateId } }`,
      );
      const { templateId } = registerTemplate;
      const input =
        '{ semanticVersion: "1.0.0", sourceRef: "stored://nowhere", engineKind: DotnetNewTemplatePack, targetFramework: "net8.0" }';
      const { createTemplateVersion } = await run<{ createTemplateVersion: { templateVersionId: string } }>(
        principal,
        `mutation { createTemplateVersion(templateId: "${templateId}", input: ${input}) { templateVersionId } }`,
      );
      const { templateVersionId } = createTemplateVersion;
      if (validated) await passEveryCheck(rows, templateVersionId);
      return templateVersionId;
    },
    async aLibraryVersion(principal) {
      const packageName = `Acme.L${randomBytes(6).toString("hex")}`;
      const { registerLibrary } = await run<{ registerLibrary: { libraryId: string } }>(
        principal,
        `mutation { registerLibrary(input: { packageName: "${packageName}" }) { libraryId } }`,
      );
      const { registerLibraryVersion } = await run<{ registerLibraryVersion: { libraryVersionId: string } }>(
        principal,
        `mutation { registerLibraryVersion(libraryId: "${registerLibrary.libraryId}",
           input: { semanticVersion: "1.0.0", publish: false }) { libraryVersionId } }`,
      );
      return registerLibraryVersion.libraryVersionId;
    },
    async aLibrary(principal, versions) {
      const packageName = `Acme.L${randomBytes(6).toString("hex")}`;
      const versionList = versions.map((version) => `{ semanticVersion: "${version}" }`).join(", ");
      await run(
        principal,
        `mutation { registerLibrary(input: { packageName: "${packageName}", versions: [${versionList}] }) { libraryId } }`,
      );
      return packageName;
    },
    async close() {
      await bus.close();
      await catalog.close();
      await database.close();
      await admin.end();
      await suite.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function passEveryCheck(rows: CatalogFixture["rows"], templateVersionId: string): Promise<void> {
  const digest = `sha256:${"0".repeat(64)}`;
  const [version] = await rows<{ tenant_id: string }>(
    `update catalog.template_versions set resolved_ref = 'stored://nowhere@1', content_digest = $2
     where template_version_id = $1 returning tenant_id`,
    decodeId("tpv", templateVersionId),
    digest,
  );
  const checks = ["StructuralLint", "ParameterSchema", "SampleGeneration"];
  await rows(
    `insert into catalog.validation_results (tenant_id, validation_result_id, template_version_id, checks, outcome,
       findings, samples, content_digest, validated_at)
     values ($1, $2, $3, $4, 'Passed', '[]', 1, $5, now())`,
    version?.tenant_id,
    decodeId("val", newId("val")),
    decodeId("tpv", templateVersionId),
    checks,
    digest,
  );
}

/** A principal in the given tenant or a new one, with the given scopes or with all. */
export function aPrincipal(facts: { tenantId?: string; scopes?: readonly Scope[] } = {}): Principal {
  return {
    subject: newId("cli"),
    clientId: "client",
    tenantId: facts.tenantId ?? newId("ten"),
    tenantSlug: "acme",
    scopes: new Set(facts.scopes ?? allScopes),
    principalType: "Service",
    platformAdmin: false,
    agentTaskId: undefined,
    roles: [],
    tokenId: "token",
    expiresAt: Math.floor(Date.now() / 1000) + 900,
  };
}
