import { CommandSender } from "@factory/integration/command-sender";
import { IntakeCounts, IntakePort } from "@factory/integration/intake-port";
import { RunCounts } from "@factory/integration/run-counts";
import { VendorCallCounts } from "@factory/integration/vendor-call-counts";
import { type Facade, startFacade } from "@factory/rest-facade/server";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { folderWatch } from "@factory/runtime/files/folder-watch";
import { loopWatch } from "@factory/runtime/loops/loop-watch";
import { collectDefaultMetrics } from "prom-client";
import { auditMetrics } from "../monitoring/audit-metrics.js";
import { backlogMetrics } from "../monitoring/backlog-metrics.js";
import { backupMetrics, lastBackupReader } from "../monitoring/backup-metrics.js";
import { busMetrics } from "../monitoring/bus-metrics.js";
import { databaseHealth } from "../monitoring/database-health.js";
import { deliveryMetrics } from "../monitoring/delivery-metrics.js";
import { folderHealth } from "../monitoring/folder-health.js";
import { JobAdministration } from "../monitoring/job-administration.js";
import { loopHealth } from "../monitoring/loop-health.js";
import { relayHealth } from "../monitoring/relay-health.js";
import { resourceMetrics } from "../monitoring/resource-metrics.js";
import { runMetrics } from "../monitoring/run-metrics.js";
import { SealedValueAdministration } from "../monitoring/sealed-value-administration.js";
import { vendorCallMetrics } from "../monitoring/vendor-call-metrics.js";
import { platformFolders } from "../settings/platform-folders.js";
import type { Foundation, Start } from "./foundation.js";
import type { Graph } from "./graph.js";
import { readGuides } from "./guides.js";
import type { Subgraphs } from "./subgraphs.js";

/** Starts the public and the internal listener, with metrics, readiness and the operator's endpoints. */
export async function startFrontDoor(
  { environment, logger, registry, parts, door, pageFiles }: Start,
  { bus, refusals, watch, publicUrl, port, dataDir, hostOf }: Foundation,
  { graph, subgraphs }: { graph: Graph; subgraphs: Subgraphs },
): Promise<Facade> {
  const { spine, integration, catalog, verifier, onRevoked } = subgraphs;
  const { limits, openSockets, closeSockets, ...graphParts } = graph;
  collectDefaultMetrics({ register: registry });
  busMetrics(registry, bus.deadLetters);
  auditMetrics(registry, refusals);
  const lastBackup = lastBackupReader(hostOf("spine").connections.worker, logger);
  parts.add("last backup", () => lastBackup.close());
  backupMetrics(registry, lastBackup.read);
  vendorCallMetrics(registry, integration.get(VendorCallCounts));
  runMetrics(registry, integration.get(RunCounts));
  deliveryMetrics(registry, integration.get(IntakeCounts));
  backlogMetrics(registry, [bus, ...catalog.backlogs, ...integration.backlogs, ...spine.backlogs]);
  resourceMetrics(registry, openSockets);
  const relays = relayHealth(registry, { catalog: catalog.relay, integration: integration.relay, spine: spine.relay });
  const loops = loopHealth(registry, loopWatch);
  const folders = folderHealth(registry, folderWatch);
  parts.add("folder watch", await folderWatch.start(await platformFolders(environment, dataDir), logger));
  const facade = await startFacade(
    {
      ...graphParts,
      verifier,
      authorizationServer: (request, response) => spine.authorizationServer.handle(request, response),
      refusals,
      flags: spine.featureFlags,
      deliveries: integration.get(IntakePort),
      reportContents: spine.reportContents,
      onRevoked,
      connectionPages: (request, response) => integration.connectionPages(request, response),
      git: (request, response) => catalog.git(request, response),
      ready: async () => {
        failpoint("platform.readiness");
        const database = await databaseHealth(watch, { spine, integration, catalog });
        const background = loops();
        const files = folders();
        return {
          ready: database.ready && background.ready && files.ready,
          checks: { ...database.checks, ...relays(), ...background.checks, ...files.checks },
        };
      },
      jobs: new JobAdministration([catalog.jobs, integration.jobs, spine.jobs], bus, registry),
      commands: integration.get(CommandSender),
      sealedValues: new SealedValueAdministration(
        { catalog: catalog.resealer, integration: integration.resealer, spine: spine.resealer },
        bus,
        logger,
      ),
      metrics: () => registry.metrics(),
    },
    {
      publicUrl,
      host: environment.host,
      port,
      internalPort: environment.internalPort,
      development: environment.development,
      allowedOrigins: environment.allowedOrigins,
      trustedProxies: environment.trustedProxies,
      rateLimits: limits,
      guides: await readGuides(),
      pageFiles,
      registry,
      logger,
      beforeListening: () => door.close(),
    },
  );
  // Both close at the same time, so that the front door refuses new websockets while the open ones are closed.
  parts.add("facade", async () => void (await Promise.all([facade.close(), closeSockets()])));
  return facade;
}
