import { EnvelopeSeal } from "@factory/runtime/sealing/envelope-seal";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { TenantFacts } from "@factory/runtime/tenant-facts/tenant-facts";
import { ConnectionStates } from "../../connections/connections/connection-moves.js";
import { ProviderService } from "../../providers/providers/provider.service.js";
import { RunService } from "../../runs/run.service.js";
import { RunCounts } from "../../runs/run-counts.js";
import { DeliveryRecords } from "../inbound-deliveries/delivery-records.js";
import { DeliveryBatches } from "./delivery-batch.js";
import { DeliveryClaims } from "./delivery-claims.js";
import { DeliveryDispatcher } from "./delivery-dispatcher.js";
import { DeliveryHandlers } from "./delivery-handlers.js";
import { DeliveryReplayResolver } from "./delivery-replay.resolver.js";
import { DeliveryReplayService } from "./delivery-replay.service.js";
import { HandlingAtReception } from "./handling-at-reception.js";
import { OverdueDeliveries } from "./overdue-deliveries.js";
import { revokedCredential } from "./revoked-credential.js";
import { publishVendorEvent } from "./vendor-event.js";

export interface DeliveryHandlingSettings {
  /** Delivery payloads are sealed under them. */
  readonly masterKeys: MasterKeys;
}

/** Handles vendors' deliveries: publishes their events, and stops connections whose credential was revoked. */
export const deliveryHandling: SliceModule<DeliveryHandlingSettings> = {
  slice: "delivery-handling",
  events: ["VendorEventReceived", "WebhookDeliveryProcessed", "WebhookDeliveryIgnored", "WebhookDeliveryDeadLettered"],
  start({ settings, database, workers, connections, logger, sweep, backlog, onStarted, onStop, onClose }, services) {
    const claims = new DeliveryClaims(connections.worker, logger);
    backlog(claims);
    onClose(() => claims.close());
    const handlers = services.add(new DeliveryHandlers());
    handlers.add(publishVendorEvent);
    handlers.add(revokedCredential(services.get(ConnectionStates)));
    const batches = new DeliveryBatches({
      database,
      handlers,
      seal: new EnvelopeSeal(settings.masterKeys.keyring("factory integration webhook deliveries")),
      providers: services.get(ProviderService),
      facts: services.get(TenantFacts),
      counts: services.get(RunCounts),
      logger,
    });
    const dispatcher = new DeliveryDispatcher({ claims, batches, logger });
    const replays = { database, runs: services.get(RunService), counts: services.get(RunCounts) };
    services.add(new DeliveryReplayService({ ...replays, wake: () => dispatcher.wake() }));
    const records = services.get(DeliveryRecords);
    records.onWaiting(() => dispatcher.wake());
    records.handleAtOnce(new HandlingAtReception(services.get(TenantFacts), services.get(RunCounts)));
    sweep(new OverdueDeliveries(workers, dispatcher));
    onStop(() => dispatcher.stop());
    onStarted(() => dispatcher.wake());
  },
  resolvers: (get) => [new DeliveryReplayResolver(get(DeliveryReplayService))],
  links: {
    "WebhookDeliveryReplay.deliveryId": { to: "WebhookDelivery" },
    "WebhookDeliveryReplay.runId": { to: "Run" },
  },
};
