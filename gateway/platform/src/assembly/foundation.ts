import { resolve } from "node:path";
import type { StaticFiles } from "@factory/rest-facade/static-files";
import { RefusalLog } from "@factory/runtime/audit/refusal-log";
import { PostgresBus } from "@factory/runtime/bus/postgres-bus";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { ServerWatch } from "@factory/runtime/connections/server-watch";
import { JobProcess } from "@factory/runtime/jobs/runs/job-process";
import { PlatformLimits } from "@factory/runtime/platform-limits/platform-limits";
import { provisionDatabase } from "@factory/runtime/provisioning/provision-database";
import { Registration } from "@factory/runtime/provisioning/release-processes";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SubgraphHost } from "@factory/runtime/subgraph/subgraph-host";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { type SubgraphName, subgraphNames } from "@factory/schema/subgraph-names";
import type { ClientBase } from "pg";
import type { Registry } from "prom-client";
import type { PreparedStart } from "../bundling/prepared-start.js";
import { markSharedFolders } from "../folder-marks/mark-folders.js";
import type { PlatformEnvironment } from "../settings/environment.js";
import { sharedFoldersOf } from "../settings/platform-folders.js";
import { readMasterKeys } from "../settings/secrets-key.js";
import type { PlatformDatabase } from "./platform-database.js";
import type { RunningParts } from "./running-parts.js";
import type { StartingDoor } from "./starting-door.js";

/** Every start function takes the settings, the log, the metrics, and the parts that are already running. */
export interface Start {
  readonly environment: PlatformEnvironment;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly parts: RunningParts;
  /** The results of the build. Code outside a bundle computes them itself. */
  readonly prepared: PreparedStart | undefined;
  /** Holds the listeners' addresses until they are ready. */
  readonly door: StartingDoor;
  /** The files of the pages for developers. */
  readonly pageFiles: StaticFiles | undefined;
}

/** The parts that all subgraphs share. */
export interface Foundation {
  readonly dataDir: string;
  /** The URL with which the database administrator connects. */
  readonly adminUrl: string;
  readonly masterKeys: MasterKeys;
  readonly port: number;
  /** The URL at which callers reach the platform, without a slash at the end. */
  readonly publicUrl: string;
  readonly bus: PostgresBus;
  /** Takes refused requests for the audit log. */
  readonly refusals: RefusalLog;
  /** Reports whether the database server answers. */
  readonly watch: ServerWatch;
  /** Resolves with the reason when a newer release has made the data unfit for this process. */
  readonly shutOut: Promise<string>;
  /** The tenants' limits over all processes. */
  readonly limits: PlatformLimits;
  readonly hostOf: (subgraph: SubgraphName) => SubgraphHost;
}

/** Starts the database with its roles and schemas, and the bus. Reads the keys and determines the public address. */
export async function startFoundation(
  { environment, logger, parts, prepared }: Start,
  openDatabase: Promise<PlatformDatabase>,
): Promise<Foundation> {
  const dataDir = resolve(environment.dataDir);
  const { port } = environment;
  // A start that the database refuses leaves no new keys behind.
  const database = await openDatabase;
  parts.add("database", database.close);
  const masterKeys = await readMasterKeys(environment, dataDir);
  const { processId, former } = database.holder;
  const roles = { masterKeys, rolePrefix: environment.databaseRolePrefix, logger };
  const publicUrl = environment.publicUrl ?? `http://127.0.0.1:${port}`;
  const start = { processId, publicUrl, former, logger };
  const lastStep = (admin: ClientBase) => markSharedFolders(admin, sharedFoldersOf(environment, dataDir));
  const access = await provisionDatabase(database.url, subgraphNames, { ...roles, start, lastStep });
  const workerUrl = schemaConnections(access, "integration").worker;
  const watch = ServerWatch.of(workerUrl, logger);
  watch.watchWrites(workerUrl);
  const bus = await PostgresBus.open(workerUrl, logger, { deadLetterDays: environment.deadLetterRetentionDays });
  parts.add("bus", () => bus.close());
  const registration = new Registration(bus.background, start, logger);
  parts.add("registration", () => registration.close());
  const refusals = startRefusalLog(bus, logger);
  parts.add("refusal log", () => refusals.close());
  const limits = await PlatformLimits.open(workerUrl, logger);
  parts.add("limits", () => limits.close());
  const jobProcess = new JobProcess(database.holder);
  return {
    dataDir,
    adminUrl: access.url,
    masterKeys,
    port,
    publicUrl,
    bus,
    refusals: refusals.log,
    watch,
    shutOut: registration.shutOut,
    limits,
    hostOf: (subgraph) => ({
      connections: schemaConnections(access, subgraph),
      bus,
      jobProcess,
      refusals: refusals.log,
      logger: logger.child({ subgraph }),
      printedSdl: prepared?.subgraphSdls[subgraph],
    }),
  };
}

/** Starts the refusal log, which publishes on its own connection. */
function startRefusalLog(bus: PostgresBus, logger: Logger) {
  const publisher = bus.ownPublisher();
  const log = new RefusalLog({ publisher, logger });
  return {
    log,
    async close() {
      await log.stop();
      await publisher.close();
    },
  };
}
