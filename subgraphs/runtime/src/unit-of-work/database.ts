import type { SubgraphName } from "@factory/schema/subgraph-names";
import type { EntityClass, EntitySchema, MigrationsOptions } from "@mikro-orm/core";
import { ReflectMetadataProvider } from "@mikro-orm/decorators/legacy";
import { Migrator } from "@mikro-orm/migrations";
import { defineConfig, type EntityManager, MikroORM } from "@mikro-orm/postgresql";
import type { CompiledQuery, Kysely } from "kysely";
import { ConnectionShares } from "../connections/connection-shares.js";
import { openOrmPool } from "../connections/pool.js";
import { ReadPipeline } from "../connections/read-pipeline.js";
import type { SchemaConnections } from "../connections/schema-connections.js";
import type { WatchedPool } from "../connections/watched-pool.js";
import { type Notice, noticeStatement, outboxChannel } from "../db/notice.js";
import { runAgain } from "../db/run-again.js";
import type { TableReferences } from "../db/table-references.js";
import { TenantReader } from "../db/tenant-statement.js";
import { deferredQuery, type Statement, statementQuery, TransactionDialect } from "../db/transaction-dialect.js";
import { createCommand, type NewCommand } from "../messages/command.js";
import {
  type Cause,
  type CommandEnvelope,
  createEvent,
  type Envelope,
  type Message,
  type NewEvent,
} from "../messages/envelope.js";
import { outboxTable } from "../outbox/outbox.entity.js";
import { outboxInsert, outboxValues } from "../outbox/outbox-insert.js";
import type { Logger } from "../telemetry/logger.js";
import type { Tenant } from "../tenancy/tenant.js";
import { idempotencyTable } from "./idempotency.entity.js";

const readConnections = 4;
const transactionConnections = 10;

const setTenant = {
  name: "set_tenant",
  text: "select set_config('app.tenant', $1, true), set_config('app.platform', $2, true)",
};

/** Who is told of what waits in the outbox. */
interface Wakeable {
  wake(): void;
}

export interface DatabaseDefinition {
  readonly connections: SchemaConnections;
  readonly entities: readonly (EntityClass<object> | EntitySchema)[];
  readonly migrations: NonNullable<MigrationsOptions["migrationsList"]>;
  /** What the database holds together beside the entities; absent: nothing. */
  readonly references?: TableReferences;
}

/** One transaction of one tenant: rows through `em`, events, commands and jobs beside them, all or nothing. */
export interface Transaction {
  readonly em: EntityManager;
  readonly tenant: Tenant;
  /** Writes the event with this transaction; returns its envelope. */
  readonly record: (event: NewEvent) => Envelope;
  /** Writes the command with this transaction; refused where the actor has not the scopes that the command needs. */
  readonly send: (command: NewCommand) => CommandEnvelope;
  /** One statement on this transaction's connection, parameters as `$1`; one that comes often is worth preparing. */
  readonly execute: <R = Record<string, unknown>>(statement: Statement, values?: readonly unknown[]) => Promise<R[]>;
  /** The same for one whose answer nobody needs: it leaves with the next, which fails when it does. */
  readonly defer: (statement: Statement, values?: readonly unknown[]) => Promise<void>;
  /** Runs once all of it can be read; not when it was rolled back, nor when the process ends before. */
  readonly afterCommit: (work: () => void) => void;
  /** Told to who listens on the channel, in every process, once all of it can be read. It may be lost. */
  readonly notify: (channel: string, payload?: string) => void;
}

export function ormOptions(definition: DatabaseDefinition, url: string) {
  return defineConfig({
    clientUrl: url,
    schema: definition.connections.schema,
    entities: [...definition.entities, outboxTable(), idempotencyTable()],
    metadataProvider: ReflectMetadataProvider,
    extensions: [Migrator],
    ensureDatabase: false,
    discovery: { warnWhenNoEntities: false },
    forceUndefined: false,
    pool: { min: 0, max: 10, idleTimeoutMillis: 30_000 },
    migrations: {
      tableName: "migrations",
      snapshot: false,
      silent: true,
      // a migration of its own transaction each: one that adds keys has none, and reads what those before it made
      allOrNothing: false,
      migrationsList: definition.migrations,
    },
  });
}

interface DatabaseParts {
  readonly orm: MikroORM;
  readonly pool: WatchedPool;
  readonly pipeline: ReadPipeline;
  readonly logger: Logger;
}

/** The two ways into one schema as its `_app` role: units of work for writes, prepared statements for hot reads. */
export class Database {
  readonly reader: TenantReader;
  readonly #orm: MikroORM;
  readonly #schema: SubgraphName;
  readonly #pipeline: ReadPipeline;
  readonly #pool: WatchedPool;
  readonly #shares: ConnectionShares;
  readonly #leave: () => void;
  readonly #logger: Logger;
  readonly #relay: Wakeable | undefined;

  private constructor({ orm, pool, pipeline, logger }: DatabaseParts, schema: SubgraphName, relay?: Wakeable) {
    this.#logger = logger;
    this.#orm = orm;
    this.#schema = schema;
    this.#pipeline = pipeline;
    this.#pool = pool;
    this.#relay = relay;
    this.#shares = new ConnectionShares(transactionConnections);
    this.#leave = pool.watch.join(this.#shares);
    this.reader = new TenantReader(pool, pipeline, this.#shares);
  }

  /** Without a relay of its own, what it writes to the outbox is told to those who listen. */
  static async open(definition: DatabaseDefinition, logger: Logger, relay?: Wakeable): Promise<Database> {
    const { app } = definition.connections;
    const pool = openOrmPool(app, transactionConnections, logger);
    const orm = await MikroORM.init({ ...ormOptions(definition, app), driverOptions: new TransactionDialect(pool) });
    const pipeline = new ReadPipeline(app, readConnections, pool.watch);
    return new Database({ orm, pool, pipeline, logger }, definition.connections.schema, relay);
  }

  /**
   * Opens a transaction as this tenant. No network and no git in `work`: the connection is held meanwhile. After a
   * deadlock `work` is run again from its beginning, so it changes nothing outside of the transaction.
   */
  transaction<T>(tenant: Tenant, cause: Cause, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const once = () => this.#shares.run(tenant.tenantId, () => this.#once(tenant, cause, work));
    return runAgain(once).catch((error: unknown) => {
      this.#pool.watch.note(error);
      throw error;
    });
  }

  async #once<T>(tenant: Tenant, cause: Cause, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const messages: Message[] = [];
    const committed: (() => void)[] = [];
    const done = await this.#orm.em.fork().transactional(async (em) => {
      const execute: Transaction["execute"] = (statement, values) => run(em, statementQuery(statement, values));
      const defer: Transaction["defer"] = async (statement, values) => {
        await run(em, deferredQuery(statement, values));
      };
      const notify: Transaction["notify"] = (channel, payload = "") => {
        committed.push(() => this.#tell({ channel, payload }));
      };
      await defer(setTenant, [tenant.uuid, tenant.platform ? "on" : ""]);
      const transaction: Transaction = {
        em,
        tenant,
        execute,
        defer,
        afterCommit: (next) => committed.push(next),
        notify,
        record(event) {
          const envelope = createEvent(event, event.tenantId ?? tenant.tenantId, cause);
          messages.push(envelope);
          return envelope;
        },
        send: (command) => {
          const envelope = createCommand(command, this.#schema, tenant.tenantId, cause);
          messages.push(envelope);
          return envelope;
        },
      };
      const result = await work(transaction);
      await em.flush();
      if (messages.length > 0) {
        await defer(outboxInsert, outboxValues(tenant, messages));
        if (this.#relay) committed.push(() => this.#relay?.wake());
        else notify(outboxChannel(this.#schema));
      }
      return result;
    });
    for (const next of committed) next();
    return done;
  }

  #tell(notice: Notice): void {
    this.#pipeline
      .query(noticeStatement(notice))
      .catch((error: unknown) => this.#logger.debug({ err: error, ...notice }, "a notice was lost"));
  }

  async close(): Promise<void> {
    this.#leave();
    await this.#pipeline.close();
    await this.#orm.close(true);
    await this.#pool.end();
  }
}

async function run<R>(em: EntityManager, query: CompiledQuery): Promise<R[]> {
  const open = em.getTransactionContext<Kysely<unknown>>();
  if (!open) throw new Error("The transaction has ended");
  const { rows } = await open.executeQuery<R>(query as CompiledQuery<R>);
  return rows;
}
