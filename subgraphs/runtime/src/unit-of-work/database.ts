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
import { TenantReader } from "../db/tenant-reader.js";
import {
  deferredQuery,
  type Statement,
  statementQuery,
  type TakeRows,
  TransactionDialect,
} from "../db/transaction-dialect.js";
import type { AuditedAction } from "../messages/audit-record.js";
import { createCommand, type NewCommand } from "../messages/command.js";
import { transactionRecord } from "../messages/create-audit-record.js";
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
import type { MergedMigration } from "./merged-migration.js";

const readConnections = 4;
const transactionConnections = 10;

const setTenant = {
  name: "set_tenant",
  text: "select set_config('app.tenant', $1, true), set_config('app.platform', $2, true)",
};

/** A relay that is woken when messages wait in the outbox. */
interface Wakeable {
  wake(): void;
}

/** The parts of a subgraph's database: connections, entities, migrations and foreign keys. */
export interface DatabaseDefinition {
  readonly connections: SchemaConnections;
  readonly entities: readonly (EntityClass<object> | EntitySchema)[];
  readonly migrations: NonNullable<MigrationsOptions["migrationsList"]>;
  /** Makes in a new database what the oldest of the migrations make; absent: they all run there. */
  readonly merged?: MergedMigration;
  /** The foreign keys, which are declared beside the entities; absent: none. */
  readonly references?: TableReferences;
}

/** A transaction of one tenant. Rows, events, commands and jobs are committed together or not at all. */
export interface Transaction {
  readonly em: EntityManager;
  readonly tenant: Tenant;
  /** The cause of the transaction, which its events carry. */
  readonly cause: Cause;
  /** Records an event in this transaction and returns its envelope. One of several causes may be its own. */
  readonly record: (event: NewEvent, ownCause?: Cause) => Envelope;
  /** Sends a command with this transaction. Throws when the actor lacks the scopes of the command. */
  readonly send: (command: NewCommand) => CommandEnvelope;
  /**
   * Writes one record of this action to the audit log of the tenant, with the events. A second call replaces the first.
   * The subject of the first event, if there is one, replaces the subject of the action.
   */
  readonly audit: (action: AuditedAction) => void;
  /** Runs a statement of SQL with parameters `$1` in this transaction. Prepare a statement that runs often. */
  readonly execute: <R = Record<string, unknown>>(statement: Statement, values?: readonly unknown[]) => Promise<R[]>;
  /**
   * Runs a statement whose answer `work` does not need. It is sent with the next statement, which throws its error. `take`
   * gets its rows before the commit is known, so they count only when the transaction resolves.
   */
  readonly defer: (statement: Statement, values?: readonly unknown[], take?: TakeRows) => Promise<void>;
  /** Runs `work` after the commit. It does not run after a rollback or when the process ends before. */
  readonly afterCommit: (work: () => void) => void;
  /** Notifies the listeners of the channel in all processes after the commit. A notification can be lost. */
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
    // functions are written by hand in migrations
    schemaGenerator: { ignoreRoutines: true },
    forceUndefined: false,
    pool: { min: 0, max: 10, idleTimeoutMillis: 30_000 },
    migrations: {
      tableName: "migrations",
      snapshot: false,
      silent: true,
      // Each migration has its own transaction: one that adds keys has none, and reads what earlier ones have
      // committed.
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

/** The database of a subgraph, used as its `_app` role: transactions for writes, prepared statements for reads. */
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

  /**
   * Opens the database. Without a relay in this process, other processes are notified of new messages in the outbox.
   */
  static async open(definition: DatabaseDefinition, logger: Logger, relay?: Wakeable): Promise<Database> {
    const { app } = definition.connections;
    const pool = openOrmPool(app, transactionConnections, logger);
    const orm = await MikroORM.init({ ...ormOptions(definition, app), driverOptions: new TransactionDialect(pool) });
    const pipeline = new ReadPipeline(app, readConnections, pool.watch);
    return new Database({ orm, pool, pipeline, logger }, definition.connections.schema, relay);
  }

  /**
   * Runs `work` in a transaction of the tenant. `work` holds a connection, so it must not use the network. After a
   * deadlock it runs again from its beginning, so it must change nothing outside of the transaction.
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
    let audited: AuditedAction | undefined;
    const done = await this.#orm.em.fork().transactional(async (em) => {
      const execute: Transaction["execute"] = (statement, values) => run(em, statementQuery(statement, values));
      const defer: Transaction["defer"] = async (statement, values, take) => {
        await run(em, deferredQuery(statement, values, take));
      };
      const notify: Transaction["notify"] = (channel, payload = "") => {
        committed.push(() => this.#tell({ channel, payload }));
      };
      await defer(setTenant, [tenant.uuid, tenant.platform ? "on" : ""]);
      const transaction: Transaction = {
        em,
        tenant,
        cause,
        execute,
        defer,
        afterCommit: (next) => committed.push(next),
        notify,
        record(event, ownCause = cause) {
          const envelope = createEvent(event, event.tenantId ?? tenant.tenantId, ownCause);
          messages.push(envelope);
          return envelope;
        },
        send: (command) => {
          const envelope = createCommand(command, this.#schema, tenant.tenantId, cause);
          messages.push(envelope);
          return envelope;
        },
        audit: (action) => {
          audited = action;
        },
      };
      const result = await work(transaction);
      await em.flush();
      if (audited) {
        const { tenantId } = tenant;
        messages.push(transactionRecord(audited, messages, { source: this.#schema, tenantId, cause }));
      }
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
