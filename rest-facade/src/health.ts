import type { FastifyInstance } from "fastify";
import type { FacadePorts } from "./ports.js";

type Readiness = Awaited<ReturnType<FacadePorts["ready"]>>;

const rememberedMs = 1000;

/** One answer per second, however many ask; a failed question is "not ready". */
export function rememberReadiness(ready: FacadePorts["ready"]): () => Promise<Readiness> {
  let answer: Promise<Readiness> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (!answer || now - askedAt > rememberedMs) {
      askedAt = now;
      answer = ready().catch(() => ({ ready: false, checks: { readiness: "failed" } }));
    }
    return answer;
  };
}

/** `/livez` says that the event loop turns; `/readyz` that requests can be served. */
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
