import { type RelayLag, relayLagLimitSeconds } from "@factory/runtime/outbox/relay";
import { Gauge, type Registry } from "prom-client";

/**
 * Returns the relay entry in `/readyz`. The platform stays ready during a lag, because requests are served and only
 * events are late.
 */
export function relayHealth(registry: Registry, relays: Record<string, RelayLag>): () => Record<string, string> {
  const gauge = new Gauge({
    name: "outbox_lag_seconds",
    help: "Age of the oldest message in the outbox that is not published yet.",
    labelNames: ["subgraph"],
    registers: [registry],
    collect: () => {
      for (const [subgraph, relay] of Object.entries(relays)) gauge.set({ subgraph }, relay.lagSeconds());
    },
  });
  return () => {
    const lag = Math.max(...Object.values(relays).map((relay) => relay.lagSeconds()));
    return lag > relayLagLimitSeconds
      ? { relay: "degraded", relayLagSeconds: String(Math.round(lag)) }
      : { relay: "ok" };
  };
}
