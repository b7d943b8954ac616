import type { LoopWatch } from "@factory/runtime/loops/loop-watch";
import { Counter, Gauge, type Registry } from "prom-client";

interface LoopHealth {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

/**
 * Returns the entry in `/readyz` about background loops, and counts them. A late loop was restarted, and the platform
 * stays ready, because requests are served. When the restart has not helped, another process or a new one is needed.
 */
export function loopHealth(registry: Registry, loops: LoopWatch): () => LoopHealth {
  const gauge = new Gauge({
    name: "background_loop_idle_seconds",
    help: "Time since the last turn of a background loop.",
    labelNames: ["loop"],
    registers: [registry],
    collect: () => {
      gauge.reset();
      for (const [loop, idleMs] of loops.idleMs) gauge.set({ loop }, idleMs / 1000);
    },
  });
  const counter = new Counter({
    name: "background_loop_restarts_total",
    help: "Restarts of background loops that did not turn.",
    labelNames: ["loop"],
    registers: [registry],
    collect: () => {
      counter.reset();
      for (const [loop, restarts] of loops.restarts) counter.inc({ loop }, restarts);
    },
  });
  return () => {
    const late = loops.late;
    if (late.length === 0) return { ready: true, checks: { loops: "ok" } };
    const isStuck = late.some((loop) => loop.isStuck);
    const names = late.map(({ name }) => name).sort();
    return { ready: !isStuck, checks: { loops: isStuck ? "stopped" : "degraded", lateLoops: names.join(", ") } };
  };
}
