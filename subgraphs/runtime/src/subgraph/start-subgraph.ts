import type { GraphQLSchema } from "graphql";
import type { Backlog } from "../backlogs/waiting-work.js";
import type { BusConsumer } from "../bus/bus.js";
import { openPool } from "../connections/pool.js";
import { Retention } from "../db/retention.js";
import { NodeTypes } from "../graphql/node-types.js";
import type { GrpcService } from "../grpc/grpc-service.js";
import { JobOperations } from "../jobs/administration/job-operations.js";
import { JobService } from "../jobs/job.service.js";
import { JobQueue } from "../jobs/queue/job-queue.js";
import { JobRows } from "../jobs/sweeping/job-rows.js";
import { Sweeper } from "../jobs/sweeping/sweeper.js";
import { unauditedRefusals } from "../messages/refusal.js";
import { OutboxRelay, type RelayLag } from "../outbox/relay.js";
import type { CursorSeal } from "../pagination/cursor.js";
import { Resealer } from "../resealing/resealer.js";
import { Database, type DatabaseDefinition } from "../unit-of-work/database.js";
import { migrate } from "../unit-of-work/migrate.js";
import { entityReferences, moduleSchema } from "./module-schema.js";
import { type GetService, ServiceRegistry } from "./service-registry.js";
import type { SliceHost, SliceModule } from "./slice-module.js";
import type { SubgraphHost } from "./subgraph-host.js";
import { subgraphSessions } from "./subgraph-sessions.js";

/** A subgraph's parts. */
export interface SubgraphParts<Settings extends object> {
  /** In layering order: see `SliceModule`. */
  readonly modules: readonly SliceModule<Settings>[];
  readonly tables: Omit<DatabaseDefinition, "connections">;
  readonly settings: Settings;
  /** Seals the cursors for the subgraph's lists. */
  readonly cursors: CursorSeal;
  /** True when a former SECRETS_KEY is configured: stored values are then sealed again after the start. */
  readonly reseal: boolean;
  /** How large the pool is that connects as the worker role. */
  readonly workerConnections: number;
}

/** A running subgraph. */
export interface StartedSubgraph {
  readonly schema: GraphQLSchema;
  /** For the gRPC server in this process. */
  readonly grpcServices: readonly GrpcService[];
  readonly relay: RelayLag;
  readonly jobs: JobOperations;
  /** The subgraph's due work. */
  readonly backlogs: readonly Backlog[];
  /** Seals stored values again under the newest SECRETS_KEY. */
  readonly resealer: Resealer;
  /** For what the process itself serves beside the schema. */
  readonly get: GetService;
  /** Rejects while the database does not answer. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Migrates the schema, opens what every subgraph runs on, and starts the modules in list order. Everything that was
 * started is closed in reverse order, by `close` and when a later part fails to start.
 */
export async function startSubgraph<Settings extends object>(
  host: SubgraphHost,
  parts: SubgraphParts<Settings>,
): Promise<StartedSubgraph> {
  const startedParts = new StartedParts(host);
  try {
    return await start(host, parts, startedParts);
  } catch (error) {
    await startedParts
      .close()
      .catch((err: unknown) => host.logger.warn({ err }, "not everything that started was closed"));
    throw error;
  }
}

async function start<Settings extends object>(
  host: SubgraphHost,
  { modules, tables, settings, cursors, reseal, workerConnections }: SubgraphParts<Settings>,
  startedParts: StartedParts,
): Promise<StartedSubgraph> {
  const { connections, logger } = host;
  const definition = { connections, ...tables };
  const appliedCount = await migrate(definition);
  if (appliedCount > 0) logger.info({ schema: connections.schema, applied: appliedCount }, "migrations applied");
  const { database, jobs, listener, relay } = await startedParts.open(definition, modules);
  const workers = openPool(connections.worker, workerConnections, logger);
  startedParts.onClose(() => workers.end());
  const backlogs: Backlog[] = [];
  const beginnings: (() => Promise<void> | void)[] = [];
  const sliceHost: SliceHost<Settings> = {
    settings,
    database,
    jobs,
    listener,
    connections,
    workers,
    cursors,
    logger,
    refusals: host.refusals ?? unauditedRefusals,
    work: (job, run, dead) => beginnings.push(() => jobs.work(job, run, dead)),
    consume: (consumer) => beginnings.push(() => startedParts.consume(consumer)),
    onStarted: (begin) => beginnings.push(begin),
    sweep: (rows) => startedParts.sweeper.add(rows),
    backlog: (backlog) => backlogs.push(backlog),
    onStop: (stop) => startedParts.onStop(stop),
    onClose: (close) => startedParts.onClose(close),
  };
  const registry = new ServiceRegistry();
  registry.forSlice("jobs").add(new JobService(database, jobs, cursors));
  const nodeTypes = registry.forSlice("nodes").add(new NodeTypes());
  for (const module of modules) {
    await module.start?.(sliceHost, registry.forSlice(module.slice));
    for (const rows of module.waitingRows ?? []) startedParts.sweeper.add(new JobRows(database, jobs, rows));
  }
  for (const begin of beginnings) await begin();
  const sealedTables = modules.flatMap((module) => module.sealedTables?.(settings) ?? []);
  const resealer = new Resealer({ pool: workers, schema: connections.schema }, sealedTables, logger);
  startedParts.onStop(() => resealer.stop());
  if (reseal) resealer.start();
  startedParts.forget(new Retention(connections.worker, logger));
  const rules = retentionRules(modules, settings);
  if (rules.length > 0) startedParts.forget(new Retention(connections.worker, logger, rules));
  const operations = new JobOperations(database, jobs, startedParts.sweeper);
  const servicesOf = (slice: string) => registry.forSlice(slice);
  nodeTypes.add(entityReferences({ modules, servicesOf }));
  return {
    schema: moduleSchema({ name: connections.schema, modules, servicesOf, logger, printedSdl: host.printedSdl }).schema,
    grpcServices: modules.flatMap((module) => module.grpcServices?.(servicesOf(module.slice).get, sliceHost) ?? []),
    relay,
    jobs: operations,
    backlogs: [operations, ...backlogs],
    resealer,
    get: servicesOf("subgraph").get,
    // not by a request connection: many requests must not make the platform count as not ready
    ready: async () => void (await workers.query("select")),
    close: () => startedParts.close(),
  };
}

/** All modules' rules. */
export function retentionRules<Settings extends object>(modules: readonly SliceModule<Settings>[], settings: Settings) {
  return modules.flatMap((module) => module.retention?.(settings) ?? []);
}

/** The parts that were started so far, and their closing. */
class StartedParts {
  readonly sweeper: Sweeper;
  readonly #host: SubgraphHost;
  readonly #closers = new AsyncDisposableStack();
  readonly #stops: (() => Promise<void> | void)[] = [];
  #jobs: JobQueue | undefined;

  constructor(host: SubgraphHost) {
    this.#host = host;
    this.sweeper = new Sweeper(host.logger, host.connections.schema);
    this.onStop(() => this.sweeper.stop());
  }

  async open(definition: DatabaseDefinition, modules: readonly SliceModule<never>[]) {
    const { connections, logger, bus, jobProcess } = this.#host;
    const sessions = subgraphSessions(bus, connections.worker, logger);
    const { turns, listener } = sessions;
    const relay = new OutboxRelay({ workerUrl: connections.worker, schema: connections.schema, bus, turns, logger });
    const jobs = new JobQueue(connections, logger, jobProcess);
    const opening = Database.open(definition, logger, relay);
    // closed in reverse order: the relay still publishes what the last jobs have recorded
    this.onClose(async () => (await opening).close());
    this.onClose(() => sessions.close());
    this.onClose(() => relay.stop());
    this.#jobs = jobs;
    const [database] = await Promise.all([
      opening,
      jobs.start(modules.flatMap((module) => module.jobs ?? [])),
      sessions.start(),
    ]);
    await relay.start(listener);
    return { database, jobs, listener, relay };
  }

  onStop(stop: () => Promise<void> | void): void {
    this.#stops.push(stop);
  }

  onClose(close: () => Promise<void> | void): void {
    this.#closers.defer(close);
  }

  forget(retention: Retention): void {
    this.onStop(() => retention.stop());
  }

  async consume(consumer: BusConsumer): Promise<void> {
    this.onStop(await this.#host.bus.subscribe(consumer));
  }

  /** All work ends before the services that it uses; an error keeps nothing else from being closed. */
  async close(): Promise<void> {
    this.#closers.defer(() => this.#jobs?.stop());
    this.#closers.defer(async () => {
      const results = await Promise.allSettled(this.#stops.map(async (stop) => stop()));
      for (const result of results) if (result.status === "rejected") throw result.reason;
    });
    await this.#closers.disposeAsync();
  }
}
