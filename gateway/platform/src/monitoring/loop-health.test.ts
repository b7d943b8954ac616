import { LoopWatch } from "@factory/runtime/loops/loop-watch";
import { createLogger } from "@factory/runtime/telemetry/logger";
import { Registry } from "prom-client";
import { loopHealth } from "./loop-health.js";

it("the health of the loops names late ones, stays ready after a restart, and is not ready when that has not helped", async () => {
  const watch = new LoopWatch();
  const registry = new Registry();
  const health = loopHealth(registry, watch);
  const logger = createLogger("loops", "silent");
  const add = (name: string) => watch.add({ name, periodMs: 1000, logger, restart: () => undefined });
  const [relay, webhooks] = [add("relay"), add("webhooks")];
  expect(health()).toEqual({ ready: true, checks: { loops: "ok" } });
  watch.pass(62_000);
  expect(health()).toEqual({ ready: true, checks: { loops: "degraded", lateLoops: "relay, webhooks" } });
  relay.turned();
  watch.pass(61_000);
  expect(health()).toEqual({ ready: false, checks: { loops: "stopped", lateLoops: "webhooks" } });
  const metrics = await registry.metrics();
  expect(metrics).toContain('background_loop_restarts_total{loop="webhooks"} 2');
  expect(metrics).toContain('background_loop_idle_seconds{loop="relay"} 61');
  webhooks.turned();
  expect(health().ready).toBe(true);
});
