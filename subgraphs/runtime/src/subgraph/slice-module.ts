import type { EventType } from "@factory/schema/event-names";
import type { Pool } from "pg";
import type { Backlog } from "../backlogs/waiting-work.js";
import type { BusConsumer } from "../bus/bus.js";
import type { Notifications } from "../connections/listener.js";
import type { SchemaConnections } from "../connections/schema-connections.js";
import type { RetentionRule } from "../db/retention.js";
import type { TableReferences } from "../db/table-references.js";
import type { EntityReference } from "../graphql/entity-reference.js";
import type { FormerNames } from "../graphql/former-names.js";
import type { ObjectLinks } from "../graphql/object-links.js";
import type { GrpcService } from "../grpc/grpc-service.js";
import type {
  DeadLetterRule,
  JobDefinition,
  JobHandler,
  JobHandlers,
  TenantPayload,
} from "../jobs/definitions/job-definition.js";
import type { JobQueue } from "../jobs/queue/job-queue.js";
import type { WaitingRows } from "../jobs/sweeping/job-rows.js";
import type { StrandedRow, SweptRows } from "../jobs/sweeping/sweeper.js";
import type { RefusalSink } from "../messages/refusal.js";
import type { CursorSeal } from "../pagination/cursor.js";
import type { SealedTable } from "../resealing/sealed-table.js";
import type { Logger } from "../telemetry/logger.js";
import type { Database, DatabaseDefinition } from "../unit-of-work/database.js";
import type { GetService, Services } from "./service-registry.js";

/** A slice's resources at its start: the database is migrated, the job queues exist, and nothing is served yet. */
export interface SliceHost<Settings> {
  readonly settings: Settings;
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly listener: Notifications;
  readonly connections: SchemaConnections;
  /** Connects as the worker role; closed after the modules. */
  readonly workers: Pool;
  readonly cursors: CursorSeal;
  readonly logger: Logger;
  /** Takes refusals at endpoints that the slice serves itself, for the audit log. */
  readonly refusals: RefusalSink;
  /** Runs a queue's jobs, as `JobQueue.work`. The first job runs after all slices have started. */
  readonly work: <P extends TenantPayload>(
    job: JobDefinition<P>,
    run: JobHandler<P> | JobHandlers<P>,
    dead: DeadLetterRule<P>,
  ) => void;
  /** Takes messages from the bus. The first message arrives after all slices have started. */
  readonly consume: (consumer: BusConsumer) => void;
  /** For rows that the sweeper repairs in another way than by their job; the others stand in `waitingRows`. */
  readonly sweep: <Row extends StrandedRow>(rows: SweptRows<Row>) => void;
  /** For due slice work that is not in a queue, so that the metrics show it. */
  readonly backlog: (backlog: Backlog) => void;
  /** Begins work that the slice does by itself, after all slices have started, in list order. */
  readonly onStarted: (begin: () => Promise<void> | void) => void;
  /** Ends work that the slice does by itself. All slices stop at the same time, before the jobs do. */
  readonly onStop: (stop: () => Promise<void> | void) => void;
  /**
   * Registers a function that releases resources. The last one registered runs first, after all work and all jobs have
   * ended.
   */
  readonly onClose: (close: () => Promise<void> | void) => void;
}

/**
 * One slice as its subgraph sees it. A subgraph's module list is its layering: a slice imports only slices that stand
 * above its own, and gets only services that their modules have registered.
 */
export interface SliceModule<Settings extends object = object> {
  /** The slice's folder name. */
  readonly slice: string;
  readonly entities?: DatabaseDefinition["entities"];
  /** Every column in the slice's tables that names a row, and whether there is a foreign key for it. */
  readonly foreignKeys?: TableReferences;
  readonly jobs?: readonly JobDefinition<object>[];
  /** The event types that the slice records. */
  readonly events?: readonly EventType[];
  /** Rows in a state that only a job ends. */
  readonly waitingRows?: readonly WaitingRows<TenantPayload>[];
  /**
   * The slice's tables with values that are sealed under a master key. They are written again when SECRETS_KEY changes.
   */
  sealedTables?(settings: Settings): readonly SealedTable[];
  /** Object types that no resolver returns. */
  readonly types?: readonly (new () => object)[];

  /** Builds the services, and registers those that the resolvers and the slices below need. */
  start?(host: SliceHost<Settings>, services: Services): Promise<void> | void;
  resolvers?(get: GetService): readonly object[];
  /** The federated graph's entities that this slice resolves, by type name. */
  references?(get: GetService): Readonly<Record<string, EntityReference>>;
  /** Every field that has another object's id, and the object that it names. */
  readonly links?: ObjectLinks;
  /** Fields that were renamed. Their former names go with the first release. */
  readonly formerNames?: FormerNames;
  grpcServices?(get: GetService, host: SliceHost<Settings>): readonly GrpcService[];
  /** Which rows in the slice's tables are deleted when. */
  retention?(settings: Settings): readonly RetentionRule[];
}

/** The settings that all modules in a list need together. */
export type SettingsOf<Modules extends readonly SliceModule<never>[]> = (
  Modules[number] extends infer Module
    ? Module extends SliceModule<infer S>
      ? (settings: S) => void
      : never
    : never
) extends (settings: infer All extends object) => void
  ? All
  : never;
