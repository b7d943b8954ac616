import { Counter, Gauge, type Registry } from "prom-client";
import type { ReplaceableSupergraph } from "../../supergraph/replaceable-supergraph.js";

/** How often the supergraph was replaced or refused, which one serves, and how many graphs live. */
export function supergraphMetrics(registry: Registry, { graphs, outcomes }: ReplaceableSupergraph): void {
  const counter: Counter<"outcome"> = new Counter({
    name: "supergraph_replacements_total",
    help: "Supergraphs that an operator gave to the running platform, by what became of them.",
    labelNames: ["outcome"],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const [outcome, count] of Object.entries(outcomes)) counter.inc({ outcome }, count);
    },
  });
  const live: Gauge = new Gauge({
    name: "supergraph_live_graphs",
    help: "1, or 2 while operations or subscriptions still run on the supergraph before.",
    registers: [registry],
    collect: () => {
      live.set(graphs.previous ? 2 : 1);
    },
  });
  const info: Gauge<"id"> = new Gauge({
    name: "supergraph_info",
    help: "The supergraph that serves, by the first digits of the SHA-256 of its SDL.",
    labelNames: ["id"],
    registers: [registry],
    collect: () => {
      info.reset();
      info.set({ id: graphs.current.id }, 1);
    },
  });
}
