import { CommandSender } from "@factory/integration/command-sender";
import { IntakeCounts, IntakePort } from "@factory/integration/intake-port";
import { RunCounts } from "@factory/integration/run-counts";
import { VendorCallCounts } from "@factory/integration/vendor-call-counts";
import { type Facade, startFacade } from "@factory/rest-facade/server";
import { failpoint } from "@factory/runtime/faults/failpoint";
import { collectDefaultMetrics } from "prom-client";
import { auditMetrics } from "../monitoring/audit-metrics.js";
import { busMetrics } from "../monitoring/bus-metrics.js";
import { databaseHealth } from "../monitoring/database-health.js";
import { deliveryMetrics } from "../monitoring/delivery-metrics.js";
import { JobAdministration } from "../monitoring/job-administration.js";
import { relayHealth } from "../monitoring/relay-health.js";
import { runMetrics } from "../monitoring/run-metrics.js";
import { SealedValueAdministration } from "../monitoring/sealed-value-administration.js";
import { vendorCallMetrics } from "../monitoring/vendor-call-metrics.js";
import type { Foundation, Start } from "./foundation.js";
import type { Graph } from "./graph.js";
import type { Subgraphs } from "./subgraphs.js";

/** Starts the public and the internal listener, with metrics, readiness and the operations of the operator. */
export async function startFrontDoor(
  { environment, logger, registry, parts }: Start,
  { bus, refusals, watch, publicUrl, port }: Foundation,
  { graph, subgraphs }: { graph: Graph; subgraphs: Subgraphs },
): Promise<Facade> {
  const { spine, integration, catalog, verifier, onRevoked } = subgraphs;
  const { limits, closeSockets, ...served } = graph;
  collectDefaultMetrics({ register: registry });
  busMetrics(registry, bus.deadLetters);
  auditMetrics(registry, refusals);
  vendorCallMetrics(registry, integration.get(VendorCallCounts));
  runMetrics(registry, integration.get(RunCounts));
  deliveryMetrics(registry, integration.get(IntakeCounts));
  const relays = relayHealth(registry, { catalog: catalog.relay, integration: integration.relay, spine: spine.relay });
  const facade = await startFacade(
    {
      ...served,
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
        const { ready, checks } = await databaseHealth(watch, { spine, integration, catalog });
        return { ready, checks: { ...checks, ...relays() } };
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
      registry,
      logger,
    },
  );
  // Both close at the same time, so that the front door refuses new websockets while the open ones are closed.
  parts.add("facade", async () => void (await Promise.all([facade.close(), closeSockets()])));
  return facade;
}
