import type { EntityClass, EntitySchema, MigrationsOptions } from "@mikro-orm/core";
import { ReflectMetadataProvider } from "@mikro-orm/decorators/legacy";
import { Migrator } from "@mikro-orm/migrations";
import { defineConfig, type EntityManager, MikroORM } from "@mikro-orm/postgresql";
import { CompiledQuery, type Kysely } from "kysely";
import type { Pool } from "pg";
import { idempotencyTable } from "../idempotency/idempotency.entity.js";
import { type NewCommand, sealCommand } from "../outbox/command.js";
import {
  type Cause,
  type CommandEnvelope,
  type Envelope,
  type Message,
  type NewEvent,
  sealEnvelope,
} from "../outbox/envelope.js";
import { outboxTable } from "../outbox/outbox.entity.js";
import { writeOutbox } from "../outbox/write-outbox.js";
import type { Tenant } from "../tenancy/tenant.js";
import { reclaimLostConnections } from "./pool.js";
import { ReadPipeline } from "./read-pipeline.js";
import type { SchemaConnections, SubgraphSchema } from "./roles.js";
import { TenantReader } from "./tenant-statement.js";

const readConnections = 4;

export interface DatabaseDefinition {
  readonly connections: SchemaConnections;
  readonly entities: readonly (EntityClass<object> | EntitySchema)[];
  readonly migrations: NonNullable<MigrationsOptions["migrationsList"]>;
}

/** One transaction of one tenant: rows through `em`, events, commands and jobs beside them, all or nothing. */
export interface Transaction {
  readonly em: EntityManager;
  readonly tenant: Tenant;
  /** Writes the event with this transaction; returns its envelope. */
  readonly record: (event: NewEvent) => Envelope;
  /** Writes the command with this transaction; refused where the actor has not the scopes that the command needs. */
  readonly send: (command: NewCommand) => CommandEnvelope;
  /** One statement on this transaction's connection, parameters as `$1`. */
  readonly execute: <R = Record<string, unknown>>(text: string, values?: readonly unknown[]) => Promise<R[]>;
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
      migrationsList: definition.migrations,
    },
  });
}

/** The two ways into one schema as its `_app` role: units of work for writes, prepared statements for hot reads. */
export class Database {
  readonly reader: TenantReader;
  readonly #orm: MikroORM;
  readonly #schema: SubgraphSchema;
  readonly #pipeline: ReadPipeline;

  private constructor(orm: MikroORM, schema: SubgraphSchema, pool: Pool, pipeline: ReadPipeline) {
    this.#orm = orm;
    this.#schema = schema;
    this.#pipeline = pipeline;
    this.reader = new TenantReader(pool, pipeline);
  }

  static async open(definition: DatabaseDefinition): Promise<Database> {
    const orm = await MikroORM.init(ormOptions(definition, definition.connections.app));
    const pool = await orm.em.getConnection().getNativeClient();
    reclaimLostConnections(pool);
    const pipeline = new ReadPipeline(definition.connections.app, readConnections);
    return new Database(orm, definition.connections.schema, pool, pipeline);
  }

  /** Opens a transaction as this tenant. No network and no git in `work`: the connection is held meanwhile. */
  transaction<T>(tenant: Tenant, cause: Cause, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const variables = { "app.tenant": tenant.uuid, ...(tenant.platform ? { "app.platform": "on" } : {}) };
    const scope = this.#orm.em.fork({ session: { variables } });
    return scope.transactional(async (em) => {
      const messages: Message[] = [];
      const execute: Transaction["execute"] = (text, values = []) => executeIn(em, text, values);
      const result = await work({
        em,
        tenant,
        execute,
        record(event) {
          const envelope = sealEnvelope(event, event.tenantId ?? tenant.tenantId, cause);
          messages.push(envelope);
          return envelope;
        },
        send: (command) => {
          const envelope = sealCommand(command, this.#schema, tenant.tenantId, cause);
          messages.push(envelope);
          return envelope;
        },
      });
      await em.flush();
      if (messages.length > 0) await writeOutbox(execute, tenant, messages);
      return result;
    });
  }

  async close(): Promise<void> {
    await this.#pipeline.close();
    await this.#orm.close(true);
  }
}

/** Kysely takes the statement as it is: the placeholders stay PostgreSQL's own. */
async function executeIn<R>(em: EntityManager, text: string, values: readonly unknown[]): Promise<R[]> {
  const open = em.getTransactionContext<Kysely<unknown>>();
  if (!open) throw new Error("The transaction is over");
  const { rows } = await open.executeQuery<R>(CompiledQuery.raw(text, [...values]));
  return rows;
}
