import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Principal } from "@factory/runtime/auth/principal";
import type { Revocation } from "@factory/runtime/auth/revocations";
import { defaultPauses } from "@factory/runtime/bus/failure";
import { PostgresBus } from "@factory/runtime/bus/postgres-bus";
import { Listener } from "@factory/runtime/connections/listener";
import { type SchemaConnections, schemaConnections } from "@factory/runtime/connections/schema-connections";
import { decodeId, newId } from "@factory/runtime/identifiers/wire-id";
import { aQuickProcess } from "@factory/runtime/jobs/runs/quick-process.fixture";
import { closeWithWorker } from "@factory/runtime/postgres/worker-lifetime.fixture";
import { someMasterKeys } from "@factory/runtime/sealing/master-keys.fixture";
import type { SubgraphHost } from "@factory/runtime/subgraph/subgraph-host";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import { requestContext } from "@factory/runtime/tenancy/request-context";
import { Database } from "@factory/runtime/unit-of-work/database";
import { aSuiteDatabase } from "@factory/runtime/unit-of-work/suite-database.fixture";
import type { Scope } from "@factory/schema/scopes";
import { execute, parse } from "graphql";
import pg from "pg";
import { RevocationFeed } from "./ground/revocations/revocation-feed.js";
import type { SpineSettings } from "./modules.js";
import { type Answer, principal, SpineCaller } from "./spine-caller.fixture.js";
import { type Spine, startSpine } from "./subgraph.js";
import { spineTables } from "./tables.js";

export { type Answer, type Json, platformAdmin, principal, until } from "./spine-caller.fixture.js";

export const testSettings: SpineSettings = {
  issuer: "http://127.0.0.1:4000",
  masterKeys: someMasterKeys(7),
  allowedOrigins: ["https://studio.example"],
  verifier: { verify: () => Promise.reject(new Error("no gRPC call is made")) },
  filesDir: join(tmpdir(), "spine-files"),
};

/** The part that each suite has for itself in a running spine. */
interface SpineUse {
  /** The superuser's URL. */
  readonly url: string;
  /** Makes tenant slugs unique where suites share a spine. */
  readonly slugSuffix: string;
  end(): Promise<void>;
}

let sharedSpine: Promise<RunningSpine> | undefined;
let sharers = 0;

/** A started spine over a database, and the requests that tests send to it. */
export class RunningSpine extends SpineCaller {
  /** Connects as superuser, which sees every tenant's rows. */
  readonly admin: pg.Pool;
  #server: Server | undefined;
  readonly #use: SpineUse;

  private constructor(
    readonly host: SubgraphHost,
    readonly spine: Spine,
    readonly connections: SchemaConnections,
    /** The folder for report contents. */
    readonly filesDir: string,
    use: SpineUse,
  ) {
    super();
    this.admin = new pg.Pool({ connectionString: use.url, max: 2, options: "-c search_path=spine" });
    this.#use = use;
  }

  /** A spine with its own database. `pauses` are for its bus. */
  static async start(changes: Partial<SpineSettings> = {}, pauses = defaultPauses): Promise<RunningSpine> {
    const logger = createLogger("spine-test", "silent");
    const filesDir = await mkdtemp(join(tmpdir(), "spine-files-"));
    const database = await aSuiteDatabase("spine");
    const connections = schemaConnections(database.access, "spine");
    const bus = await PostgresBus.open(connections.worker, logger, { pauses });
    const host = { connections, bus, logger };
    const spine = await startSpine({ ...host, jobProcess: aQuickProcess() }, { ...testSettings, filesDir, ...changes });
    const end = async () => {
      await spine.close();
      await bus.close();
      await database.close();
      await rm(filesDir, { recursive: true, force: true });
    };
    return new RunningSpine(host, spine, connections, filesDir, { url: database.url, slugSuffix: "", end });
  }

  /**
   * The spine that this worker's suites share. It is for a suite with its own tenants, which neither changes nor counts
   * what all tenants share, and which needs no settings. Its tenants' slugs get a suffix.
   */
  static async shared(): Promise<RunningSpine> {
    sharedSpine ??= RunningSpine.#startShared();
    const first = await sharedSpine.catch((error: unknown) => {
      sharedSpine = undefined;
      throw error;
    });
    sharers += 1;
    const use = { url: first.#use.url, slugSuffix: `-${sharers}`, end: async () => undefined };
    return new RunningSpine(first.host, first.spine, first.connections, first.filesDir, use);
  }

  static async #startShared(): Promise<RunningSpine> {
    const first = await RunningSpine.start();
    closeWithWorker(async () => {
      sharedSpine = undefined;
      await first.stop();
    });
    return first;
  }

  /** A second `Database` for the same schema, beside the spine's own. */
  openDatabase(): Promise<Database> {
    return Database.open({ connections: this.connections, ...spineTables }, this.host.logger);
  }

  async stop(): Promise<void> {
    this.#server?.close();
    await this.admin.end();
    await this.#use.end();
  }

  override slugOf(name: string): string {
    return `${name}${this.#use.slugSuffix}`;
  }

  /** Serves the authorization server until the spine stops, and returns its URL. */
  async listen(): Promise<string> {
    this.#server = createServer((request, response) => this.spine.authorizationServer.handle(request, response));
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async ask(
    principal: Principal | undefined,
    document: string,
    variables: Record<string, unknown> = {},
    idempotencyKey?: string,
  ): Promise<Answer> {
    const contextValue = requestContext({ principal, trace: continueTrace(undefined), idempotencyKey, internal: true });
    const { data, errors = [] } = await execute({
      schema: this.spine.schema,
      document: parse(document),
      variableValues: variables,
      contextValue,
    });
    const shownErrors = errors.map((error) => error.toJSON());
    return {
      data: data && Object.values(data).some((value) => value !== null) ? data : null,
      errors: shownErrors,
      refusal: shownErrors[0]?.extensions,
      replayed: contextValue.replayed,
    };
  }

  /** Runs one statement in a transaction for the tenant, as the database role that serves requests. */
  async asApp(tenantId: string | null, statement: string): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: this.connections.app });
    await client.connect();
    try {
      await client.query("begin");
      if (tenantId !== null)
        await client.query("select set_config('app.tenant', $1, true)", [decodeId("ten", tenantId)]);
      return await client.query(statement);
    } finally {
      await client.query("rollback");
      await client.end();
    }
  }

  /** Reads the revocations as another process does when it starts. */
  async watchFromElsewhere(tell: (revocation: Revocation) => void): Promise<void> {
    const listener = new Listener(this.connections.worker, this.host.logger);
    const pool = new pg.Pool({ connectionString: this.connections.worker, max: 1 });
    const feed = new RevocationFeed(pool, listener, this.host.logger);
    try {
      await feed.start(tell);
    } finally {
      await feed.stop();
      await listener.close();
      await pool.end();
    }
  }
}

/** A person who has just signed in at a platform client, with the strongest factor. */
export function signedIn(tenantId: string, scopes: readonly Scope[], changes: Partial<Principal> = {}): Principal {
  const signIn = {
    authTime: Math.floor(Date.now() / 1000),
    acr: "urn:factory:acr:phishing-resistant",
    firstParty: true,
  };
  const person = { subject: newId("usr"), clientId: "cli_studio", principalType: "User" as const };
  return { ...principal(tenantId, scopes), ...person, ...signIn, ...changes };
}
