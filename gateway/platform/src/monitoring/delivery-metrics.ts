import type { IntakeCounts } from "@factory/integration/intake-port";
import { Counter, type Registry } from "prom-client";

/** Registers the metric for vendor deliveries. */
export function deliveryMetrics(registry: Registry, counts: IntakeCounts): void {
  const counter: Counter<"outcome"> = new Counter({
    name: "inbound_deliveries_total",
    help: "Deliveries of vendors by outcome. Secrets of several tenants have verified an ambiguous one, which is refused.",
    labelNames: ["outcome"],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const [outcome, count] of Object.entries(counts.all)) counter.inc({ outcome }, count);
    },
  });
}
