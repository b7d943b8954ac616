import type { ReplaceableSupergraph } from "@factory/gateway/supergraph/replaceable-supergraph";
import { Counter, Gauge, type Registry } from "prom-client";

/** Registers supergraph metrics: replacements by outcome, the supergraph in use, and the number of graphs in memory. */
export function supergraphMetrics(registry: Registry, { graphs, outcomes }: ReplaceableSupergraph): void {
  const counter: Counter<"outcome"> = new Counter({
    name: "supergraph_replacements_total",
    help: "Supergraphs that were given to the running platform, by their outcome.",
    labelNames: ["outcome"],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const [outcome, count] of Object.entries(outcomes)) counter.inc({ outcome }, count);
    },
  });
  const live: Gauge = new Gauge({
    name: "supergraph_live_graphs",
    help: "Supergraphs in memory: 1, or 2 while operations or subscriptions still run on the previous one.",
    registers: [registry],
    collect: () => {
      live.set(graphs.previous ? 2 : 1);
    },
  });
  const info: Gauge<"id"> = new Gauge({
    name: "supergraph_info",
    help: "The supergraph in use, named by the first digits of the SHA-256 of its SDL.",
    labelNames: ["id"],
    registers: [registry],
    collect: () => {
      info.reset();
      info.set({ id: graphs.current.id }, 1);
    },
  });
}
