import type { RunCounts } from "@factory/integration/run-counts";
import { Counter, type Registry } from "prom-client";

/** Registers the metric for runs in the integration subgraph. */
export function runMetrics(registry: Registry, counts: RunCounts): void {
  const counter: Counter<"operation" | "outcome"> = new Counter({
    name: "integration_runs_total",
    help: "Runs by operation and outcome. RetryScheduled counts attempts that failed and are repeated.",
    labelNames: ["operation", "outcome"],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const { operation, outcome, count } of counts.all) counter.inc({ operation, outcome }, count);
    },
  });
}
