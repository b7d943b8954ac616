import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { countRefusals } from "./refusal-statement.js";
import { type Refusals, RefusalTrace } from "./refusal-trace.js";
import { RefusedDeliveries } from "./refused-deliveries.entity.js";
import { RefusedDeliveriesResolver } from "./refused-deliveries.resolver.js";
import { refusalRetention } from "./refused-deliveries.retention.js";
import { RefusedDeliveriesService } from "./refused-deliveries.service.js";

/** The deliveries that were refused at the URLs for webhook subscriptions and connections. */
export const refusedDeliveries: SliceModule = {
  slice: "refused-deliveries",
  entities: [RefusedDeliveries],
  foreignKeys: {
    "refused_deliveries.resource_id": {
      to: null,
      why: "A webhook subscription or a connection. The row is deleted after 90 days without a refusal.",
    },
  },
  start({ database, workers, logger, onClose }, services) {
    const trace = new RefusalTrace({
      write: (refusals) => workers.query({ ...countRefusals, values: valuesOf(refusals) }),
      onFailure: (error) => logger.warn({ err: error }, "refused deliveries could not be counted and will be later"),
    });
    onClose(() => trace.close());
    services.add(trace);
    services.add(new RefusedDeliveriesService(database));
  },
  resolvers: (get) => [new RefusedDeliveriesResolver(get(RefusedDeliveriesService))],
  retention: () => [refusalRetention],
};

const valuesOf = (refusals: readonly Refusals[]): unknown[] =>
  countRefusals.valuesOf({
    tenants: refusals.map(({ tenant }) => tenant),
    resources: refusals.map(({ resource }) => resource),
    counts: refusals.map(({ count }) => count),
    reasons: refusals.map(({ lastReason }) => lastReason),
    times: refusals.map(({ lastRefusedAt }) => lastRefusedAt),
  });
