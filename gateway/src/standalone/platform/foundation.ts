import { resolve } from "node:path";
import { RefusalLog } from "@factory/runtime/audit/refusal-log";
import { PostgresBus } from "@factory/runtime/bus/postgres-bus";
import { schemaConnections } from "@factory/runtime/connections/schema-connections";
import { ServerWatch } from "@factory/runtime/connections/server-watch";
import { JobProcess } from "@factory/runtime/jobs/runs/job-process";
import { provisionDatabase } from "@factory/runtime/provisioning/provision-database";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SubgraphHost } from "@factory/runtime/subgraph/subgraph-host";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { type SubgraphName, subgraphNames } from "@factory/schema/subgraph-names";
import type { Registry } from "prom-client";
import type { PreparedStart } from "../bundle/prepared-start.js";
import type { PlatformEnvironment } from "../settings/environment.js";
import { choosePort } from "../settings/free-port.js";
import { readMasterKeys } from "../settings/secrets-key.js";
import type { PlatformDatabase } from "./platform-database.js";
import type { RunningParts } from "./running-parts.js";

/** The input of every start function: the settings, the log, the metrics, and the parts that are already running. */
export interface Start {
  readonly environment: PlatformEnvironment;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly parts: RunningParts;
  /** The results of the build. Code that runs outside of a bundle computes them itself. */
  readonly prepared: PreparedStart | undefined;
}

/** The parts that all subgraphs share. */
export interface Foundation {
  readonly dataDir: string;
  readonly masterKeys: MasterKeys;
  readonly port: number;
  /** The URL at which callers reach the platform, without a slash at the end. */
  readonly publicUrl: string;
  readonly bus: PostgresBus;
  /** Takes refused requests for the audit log. */
  readonly refusals: RefusalLog;
  /** Reports whether the database server answers. */
  readonly watch: ServerWatch;
  readonly hostOf: (subgraph: SubgraphName) => SubgraphHost;
}

/** Starts the database with its roles and schemas, and the bus. Reads the keys and determines the public address. */
export async function startFoundation(
  { environment, logger, parts, prepared }: Start,
  openDatabase: Promise<PlatformDatabase>,
): Promise<Foundation> {
  const dataDir = resolve(environment.dataDir);
  const masterKeys = await readMasterKeys(environment, dataDir);
  const port = await choosePort(environment.port, environment.host);
  const database = await openDatabase;
  parts.add("database", database.close);
  await provisionDatabase(database.url, subgraphNames);
  const workerUrl = schemaConnections(database.url, "integration").worker;
  const watch = ServerWatch.of(workerUrl, logger);
  watch.watchWrites(workerUrl);
  const bus = await PostgresBus.open(workerUrl, logger, { deadLetterDays: environment.deadLetterRetentionDays });
  parts.add("bus", () => bus.close());
  const refusals = startRefusalLog(bus, logger);
  parts.add("refusal log", () => refusals.close());
  const jobProcess = new JobProcess(database.holder);
  return {
    dataDir,
    masterKeys,
    port,
    publicUrl: environment.publicUrl ?? `http://127.0.0.1:${port}`,
    bus,
    refusals: refusals.log,
    watch,
    hostOf: (subgraph) => ({
      connections: schemaConnections(database.url, subgraph),
      bus,
      jobProcess,
      refusals: refusals.log,
      logger: logger.child({ subgraph }),
      printedSdl: prepared?.subgraphSdls[subgraph],
    }),
  };
}

/** Starts the log of refusals, which publishes on a connection of its own. */
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
