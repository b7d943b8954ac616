import type { Verifier } from "@factory/runtime/auth/authenticate";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { Cause } from "@factory/runtime/messages/envelope";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { requireKnownParameters } from "../requests/known-parameters.js";
import { causeOf, operator } from "./operator.js";

const usualLimit = 50;
const maxPageSize = 200;

/** All tenants' background work and the bus's dead letters, without payloads. */
export interface JobAdministration {
  list(after: string | undefined, limit: number): Promise<object>;
  redrive(queue: string, jobId: string, cause: Cause): Promise<object>;
  /** How many rows wait for a job that does not exist, by subgraph. */
  lying(): Promise<Record<string, number>>;
  /** Bus messages that a consumer could not process. */
  deadLetters(after: string | undefined, limit: number): Promise<object>;
  redriveLetter(consumer: string, position: string, cause: Cause): Promise<void>;
}

/**
 * Serves the operator's view on background work on the internal listener: `GET /jobs`, `POST
 * /jobs/{queue}/{id}/redrive`, and the same under `/bus/dead-letters` with `{consumer}/{position}`. They need a
 * platform administrator's token with the scope `tenant.manage`. `GET /jobs/lying` needs no token, like `/metrics`,
 * since it only counts.
 */
export function serveJobs(app: FastifyInstance, jobs: JobAdministration, verifier: Verifier): void {
  app.get("/jobs", async (request, reply) => {
    await operator(request, verifier);
    const { limit, after } = pageOf(request);
    return reply.header("cache-control", "no-store").send(await jobs.list(after, limitOf(limit)));
  });
  app.post("/jobs/:queue/:jobId/redrive", async (request, reply) => {
    const principal = await operator(request, verifier);
    const { queue, jobId } = request.params as { queue: string; jobId: string };
    const cause = causeOf(request, principal);
    return reply.code(202).send(await jobs.redrive(queue, jobId, cause));
  });
  app.get("/bus/dead-letters", async (request, reply) => {
    await operator(request, verifier);
    const { limit, after } = pageOf(request);
    return reply.header("cache-control", "no-store").send(await jobs.deadLetters(after, limitOf(limit)));
  });
  app.post("/bus/dead-letters/:consumer/:position/redrive", async (request, reply) => {
    const principal = await operator(request, verifier);
    const { consumer, position } = request.params as { consumer: string; position: string };
    await jobs.redriveLetter(consumer, position, causeOf(request, principal));
    return reply.code(202).send({ consumer, position });
  });
  const lying = oneAtATime(() => jobs.lying());
  app.get("/jobs/lying", async (_request, reply) => reply.header("cache-control", "no-store").send(await lying()));
}

/** A list's query. Throws VALIDATION_FAILED for a parameter that it does not have. */
function pageOf({ query }: FastifyRequest): { limit: string | undefined; after: string | undefined } {
  requireKnownParameters(query, ["limit", "after"]);
  const { limit, after } = query as Record<string, string | undefined>;
  return { limit, after };
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return usualLimit;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1) return Math.min(limit, maxPageSize);
  throw new DomainError("VALIDATION_FAILED", {
    detail: "The parameter limit must be a whole number of at least 1.",
    errors: [{ pointer: "/limit", code: "OUT_OF_RANGE", detail: "Must be at least 1." }],
  });
}

/** Requests that arrive while `ask` runs share its answer, since counting reads whole tables. */
function oneAtATime<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined;
  return () => {
    asking ??= ask().finally(() => (asking = undefined));
    return asking;
  };
}
