import "reflect-metadata";
import { rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Logger } from "@factory/runtime/telemetry/logger";
import type { Registry } from "prom-client";
import { certificateMetrics } from "../monitoring/certificate-metrics.js";
import type { PlatformEnvironment } from "../settings/environment.js";
import { type Foundation, type Start, startFoundation } from "./foundation.js";
import { startFrontDoor } from "./front-door.js";
import { startGraph } from "./graph.js";
import { prepareCertificates } from "./grpc-start.js";
import { openPageFiles } from "./page-files.js";
import type { PlatformDatabase } from "./platform-database.js";
import { RunningParts } from "./running-parts.js";
import { writeSampleRepository } from "./sample-repository.js";
import { startSubgraphs } from "./subgraphs.js";

/** The running platform, with the addresses on which it listens. */
export interface Platform {
  readonly publicUrl: string;
  readonly internalUrl: string;
  readonly grpcAddress: string;
  /** Resolves when the database has not answered for DATABASE_GIVE_UP_SECONDS. Never resolves without this setting. */
  readonly databaseGivenUp: Promise<void>;
  /** Resolves with the reason when a newer release has made the data unfit for this process. */
  readonly shutOut: Promise<string>;
  stop(): Promise<void>;
}

/** The platform's log and metrics. */
export interface Telemetry {
  readonly logger: Logger;
  readonly registry: Registry;
}

/**
 * Starts the whole platform in this process, over one PostgreSQL. If a part cannot start, the running parts are closed.
 */
export function startPlatform(
  environment: PlatformEnvironment,
  { logger, registry, prepared, door }: Telemetry & Pick<Start, "prepared" | "door">,
  database: Promise<PlatformDatabase>,
): Promise<Platform> {
  const parts = new RunningParts(logger);
  return parts.startOrClose(async () => {
    const pageFiles = await openPageFiles();
    const start: Start = { environment, logger, registry, parts, prepared, door, pageFiles };
    parts.add("starting door", () => door.close());
    if (!environment.development && environment.trustedProxies.length === 0)
      logger.warn("TRUSTED_PROXIES is empty: behind a proxy, all callers share the limits of its address");
    const founding = startFoundation(start, database);
    const certificates = prepareCertificates(resolve(environment.dataDir), environment.development, founding);
    const foundation = await founding;
    const subgraphs = await startSubgraphs(start, foundation, certificates);
    certificateMetrics(registry, await certificates);
    const graph = await startGraph(start, subgraphs, foundation);
    const { publicUrl, internalUrl } = await startFrontDoor(start, foundation, { graph, subgraphs });
    const addresses = { publicUrl, internalUrl, grpcAddress: subgraphs.grpcAddress };
    await announce(start, foundation, addresses);
    return {
      ...addresses,
      databaseGivenUp: foundation.watch.silentFor(environment.databaseGiveUpMs ?? Number.POSITIVE_INFINITY),
      shutOut: foundation.shutOut,
      stop: () => parts.stop(),
    };
  });
}

/**
 * Writes `runtime.json`, in which developer tools find a running platform. In development it also writes the sample
 * template's repository.
 */
async function announce(
  { environment, parts }: Start,
  { dataDir, port }: Foundation,
  addresses: Record<string, string>,
): Promise<void> {
  if (environment.development) await writeSampleRepository(dataDir);
  const file = join(dataDir, "runtime.json");
  const localUrl = `http://${localHost(environment.host)}:${port}`;
  await writeFile(file, `${JSON.stringify({ ...addresses, localUrl, pid: process.pid }, null, 2)}\n`);
  parts.add("runtime.json", () => rm(file, { force: true }));
}

/** A host name by which this machine reaches a server that listens on `host`. An IPv6 address has brackets in a URL. */
function localHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
