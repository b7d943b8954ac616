import type { FastifyInstance } from "fastify";
import { Gauge, type Registry } from "prom-client";

/** Whether requests can be served, with each part's state by name. */
export interface Readiness {
  ready: boolean;
  checks: Record<string, string>;
}

const cachedMs = 1000;

/** Asks at most once a second, however many probes arrive. A check that fails answers "not ready". */
export function cacheReadiness(
  ready: () => Promise<Readiness>,
  clock = () => performance.now(),
): () => Promise<Readiness> {
  let answer: Promise<Readiness> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    if (!answer || now - askedAt > cachedMs) {
      askedAt = now;
      answer = ready().catch(() => ({ ready: false, checks: { readiness: "failed" } }));
    }
    return answer;
  };
}

/** Registers the readiness gauge, for alarms in scrapers that do not ask `/readyz`. */
export function readinessMetric(registry: Registry, ready: () => Promise<Readiness>): void {
  const gauge = new Gauge({
    name: "platform_ready",
    help: "1 while requests can be served, as /readyz tells, otherwise 0.",
    registers: [registry],
    async collect() {
      gauge.set((await ready()).ready ? 1 : 0);
    },
  });
}

/** Serves `/livez` (the event loop runs) and `/readyz` (requests can be served). */
export function serveHealth(app: FastifyInstance, ready: () => Promise<Readiness>, isClosing: () => boolean): void {
  app.get("/livez", (_request, reply) => reply.header("cache-control", "no-store").send({ status: "alive" }));
  app.get("/readyz", async (_request, reply) => {
    const state = isClosing() ? { ready: false, checks: { stopping: "yes" } } : await ready();
    return reply
      .code(state.ready ? 200 : 503)
      .header("cache-control", "no-store")
      .send({ status: state.ready ? "ready" : "not ready", checks: state.checks });
  });
}
