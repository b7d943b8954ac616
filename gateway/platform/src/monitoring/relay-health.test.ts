import { Registry } from "prom-client";
import { relayHealth } from "./relay-health.js";

describe("the health of the relays", () => {
  const lagging = (lagSeconds: number) => ({ lagSeconds: () => lagSeconds });

  it("is degraded, with the longest lag in seconds, when one of them is behind", () => {
    const checks = relayHealth(new Registry(), { catalog: lagging(0), spine: lagging(12.4) });
    expect(checks()).toEqual({ relay: "degraded", relayLagSeconds: "12" });
  });

  it("is ok while nothing waits for long", () => {
    expect(relayHealth(new Registry(), { catalog: lagging(0.4), spine: lagging(0) })()).toEqual({ relay: "ok" });
  });

  it("is a metric of each subgraph", async () => {
    const registry = new Registry();
    relayHealth(registry, { catalog: lagging(3), spine: lagging(0) });
    expect(await registry.metrics()).toContain('outbox_lag_seconds{subgraph="catalog"} 3');
  });
});
