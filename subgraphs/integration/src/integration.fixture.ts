import { randomBytes } from "node:crypto";
import type { Principal } from "@factory/runtime/auth/principal";
import { PostgresBus } from "@factory/runtime/bus/postgres-bus";
import { type SchemaConnections, schemaConnections } from "@factory/runtime/connections/schema-connections";
import { Retention } from "@factory/runtime/db/retention";
import { newId } from "@factory/runtime/identifiers/wire-id";
import { aQuickProcess } from "@factory/runtime/jobs/runs/quick-process.fixture";
import { createEvent, type Envelope, type NewEvent } from "@factory/runtime/messages/envelope";
import { closeWithWorker } from "@factory/runtime/postgres/worker-lifetime.fixture";
import { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { retentionRules, type StartedSubgraph } from "@factory/runtime/subgraph/start-subgraph";
import { createLogger, type Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { aSuiteDatabase, aSuiteServer } from "@factory/runtime/unit-of-work/suite-database.fixture";
import { scopes as allScopes, type Scope } from "@factory/schema/scopes";
import { type ExecutionResult, graphql, parse, subscribe } from "graphql";
import pg from "pg";
import { type IntegrationSettings, integrationModules } from "./modules.js";
import { startIntegration } from "./subgraph.js";

export interface IntegrationFixture {
  readonly connections: SchemaConnections;
  /** Connects as the superuser. */
  readonly admin: pg.Pool;
  readonly bus: PostgresBus;
  readonly integration: StartedSubgraph;
  /** Stops the subgraph and starts it again, as a restart of the process does. */
  restart(between?: () => Promise<void>, changes?: Partial<IntegrationSettings>): Promise<void>;
  /** Starts a second subgraph process over the same database and bus. */
  another(): Promise<StartedSubgraph>;
  /** Runs a statement as the superuser, for whom row-level security does not apply. */
  rows<R>(sql: string, ...values: unknown[]): Promise<R[]>;
  run(principal: Principal, source: string, variables?: Record<string, unknown>, key?: string): Promise<Answer>;
  follow(principal: Principal, source: string, variables?: Record<string, unknown>): Promise<AsyncIterator<Answer>>;
  /** Deletes the rows whose retention has ended, without waiting for the timer. */
  prune(): Promise<void>;
  close(): Promise<void>;
}

/** The part of the fixture that most makers of test data need. A subgraph in its own process has it, too. */
export type IntegrationCaller = Pick<IntegrationFixture, "rows" | "run">;

// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = ExecutionResult<any, Record<string, any>>;

/** Where a suite's database comes from. */
interface DatabaseOrigin {
  /** Fills the database first, as an earlier release did. */
  readonly formerly?: (connections: SchemaConnections, admin: pg.Pool) => Promise<void>;
  /** For a suite that changes roles, because all databases on a server share them. */
  readonly ownServer?: boolean;
}

/** Starts the subgraph over its own database. */
export async function startIntegrationFixture(
  settings: Partial<IntegrationSettings> = {},
  logger: Logger = createLogger("test", "silent"),
  { formerly, ownServer = false }: DatabaseOrigin = {},
): Promise<IntegrationFixture> {
  const template = formerly ? "provisioned" : "integration";
  const database = await (ownServer ? aSuiteServer(template) : aSuiteDatabase(template));
  const connections = schemaConnections(database.access, "integration");
  const bus = await PostgresBus.open(connections.worker, logger);
  const masterKeys = new MasterKeys(randomBytes(32));
  const start = (changes?: Partial<IntegrationSettings>) =>
    startIntegration(
      { connections, bus, logger, jobProcess: aQuickProcess() },
      { masterKeys, allowLoopback: true, ...settings, ...changes },
    );
  const admin = new pg.Pool({ connectionString: database.url, max: 2 });
  admin.on("error", () => undefined);
  await formerly?.(connections, admin);
  let integration = await start();
  const contextOf = (principal: Principal, key?: string) =>
    requestContext({ principal, trace: continueTrace(undefined), idempotencyKey: key });
  return {
    connections,
    admin,
    bus,
    get integration() {
      return integration;
    },
    async restart(between = async () => undefined, changes = {}) {
      await integration.close();
      await between();
      integration = await start(changes);
    },
    another: () => start(),
    async rows<R>(sql: string, ...values: unknown[]) {
      return (await admin.query(sql, values)).rows as R[];
    },
    async run(principal, source, variableValues = {}, key) {
      const contextValue = contextOf(principal, key);
      return (await graphql({ schema: integration.schema, source, variableValues, contextValue })) as Answer;
    },
    async follow(principal, source, variableValues = {}) {
      const { schema } = integration;
      const result = await subscribe({
        schema,
        document: parse(source),
        variableValues,
        contextValue: contextOf(principal),
      });
      if (Symbol.asyncIterator in result) return result[Symbol.asyncIterator]() as AsyncIterator<Answer>;
      throw result.errors?.[0] ?? new Error("neither events nor errors");
    },
    async prune() {
      const retention = new Retention(
        connections.worker,
        logger,
        retentionRules<Partial<IntegrationSettings>>(integrationModules, settings),
      );
      await retention.forget();
      await retention.stop();
    },
    async close() {
      await bus.close();
      await integration.close();
      await admin.end();
      await database.close();
    },
  };
}

let sharedFixture: Promise<IntegrationFixture> | undefined;

/**
 * The subgraph that suites in this worker share. It is for a suite with its own tenants, which neither changes nor
 * counts what all tenants share, and which needs no settings.
 */
export async function sharedIntegration(): Promise<IntegrationFixture> {
  sharedFixture ??= startShared();
  const fixture = await sharedFixture.catch((error: unknown) => {
    sharedFixture = undefined;
    throw error;
  });
  const refuse = () => Promise.reject(new Error("other suites use this subgraph"));
  return { ...fixture, restart: refuse, another: refuse, prune: refuse, close: async () => undefined };
}

async function startShared(): Promise<IntegrationFixture> {
  const fixture = await startIntegrationFixture();
  closeWithWorker(async () => {
    sharedFixture = undefined;
    await fixture.close();
  });
  return fixture;
}

/** A principal in the given tenant or in a new one. By default it holds every scope. */
export function aPrincipal(
  options: { tenantId?: string; scopes?: readonly Scope[]; expiresAt?: number } = {},
): Principal {
  return {
    subject: newId("cli"),
    clientId: "client",
    tenantId: options.tenantId ?? newId("ten"),
    tenantSlug: "acme",
    scopes: new Set(options.scopes ?? allScopes),
    principalType: "Service",
    platformAdmin: false,
    agentTaskId: undefined,
    roles: [],
    tokenId: "token",
    expiresAt: options.expiresAt ?? Math.floor(Date.now() / 1000) + 900,
  };
}

/** An event for the principal's tenant, as the catalog publishes it. */
export function anEvent(principal: Principal, event: Partial<NewEvent> = {}): Envelope {
  const templateId = newId("tpl");
  const newEvent: NewEvent = {
    type: "TemplateRegistered",
    subject: `templates/${templateId}`,
    data: { templateId },
    ...event,
  };
  return createEvent(newEvent, principal.tenantId ?? "", { trace: continueTrace(undefined) });
}

/** Polls until `read` returns a value, and returns it. Throws after the given time. */
export async function eventually<T>(
  read: () => Promise<T | undefined> | T | undefined,
  patienceMs = 180_000,
): Promise<T> {
  const giveUpAt = Date.now() + patienceMs;
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    if (Date.now() > giveUpAt) throw new Error("it did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
