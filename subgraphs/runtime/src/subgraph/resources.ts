import type { Bus, BusConsumer } from "../bus/bus.js";
import { Listener } from "../connections/listener.js";
import type { SchemaConnections } from "../connections/schema-connections.js";
import { Retention } from "../db/retention.js";
import { JobOperations } from "../jobs/administration/job-operations.js";
import type { TenantPayload } from "../jobs/definitions/job-definition.js";
import { type JobDefinition, JobQueue } from "../jobs/queue/job-queue.js";
import type { JobProcess } from "../jobs/runs/job-process.js";
import { JobRows, type WaitingRows } from "../jobs/sweeping/job-rows.js";
import { Sweeper } from "../jobs/sweeping/sweeper.js";
import { OutboxRelay } from "../outbox/relay.js";
import type { Logger } from "../telemetry/logger.js";
import { Database, type DatabaseDefinition } from "../unit-of-work/database.js";
import { migrate } from "../unit-of-work/migrate.js";

/** What a process hands to a subgraph that it starts. */
export interface SubgraphHost {
  readonly connections: SchemaConnections;
  readonly bus: Bus;
  readonly logger: Logger;
  /** Shared by the job queues of the process; absent: the subgraph has a process of its own. */
  readonly jobProcess?: JobProcess;
}

/** What every subgraph runs on: its schema migrated and opened, its jobs, its outbox relayed. */
export class SubgraphResources {
  readonly #consumers: (() => Promise<void>)[] = [];
  readonly #retention: Retention;
  readonly sweeper: Sweeper;

  private constructor(
    readonly database: Database,
    readonly jobs: JobQueue,
    readonly listener: Listener,
    readonly host: SubgraphHost,
    readonly relay: OutboxRelay,
  ) {
    this.#retention = new Retention(host.connections.worker, host.logger);
    this.sweeper = new Sweeper(host.logger);
  }

  static async open(
    host: SubgraphHost,
    tables: Omit<DatabaseDefinition, "connections">,
    jobDefinitions: readonly JobDefinition<object>[],
  ): Promise<SubgraphResources> {
    const { connections, logger, bus } = host;
    const definition = { connections, ...tables };
    const applied = await migrate(definition);
    if (applied > 0) logger.info({ schema: connections.schema, applied }, "migrations applied");
    const jobs = new JobQueue(connections, logger, host.jobProcess);
    const listener = new Listener(connections.worker, logger);
    const relay = new OutboxRelay({ workerUrl: connections.worker, schema: connections.schema, bus, logger });
    const [database] = await Promise.all([
      Database.open(definition, logger, relay),
      jobs.start(jobDefinitions),
      listener.start(),
    ]);
    await relay.start(listener);
    return new SubgraphResources(database, jobs, listener, host, relay);
  }

  /** For the operator. */
  operations(): JobOperations {
    return new JobOperations(this.database, this.jobs, this.sweeper);
  }

  /** Jobs that these rows wait for are sent again, or the rows end. */
  sweep<P extends TenantPayload>(rows: WaitingRows<P>): void {
    this.sweeper.add(new JobRows(this.database, this.jobs, rows));
  }

  async consume(consumer: BusConsumer): Promise<void> {
    this.#consumers.push(await this.host.bus.subscribe(consumer));
  }

  /** Consumers and jobs first: they still need the database. */
  async close(): Promise<void> {
    await Promise.all([...this.#consumers.map((stop) => stop()), this.#retention.stop(), this.sweeper.stop()]);
    await this.jobs.stop();
    await this.relay.stop();
    await this.listener.close();
    await this.database.close();
  }
}
