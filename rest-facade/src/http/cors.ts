import type { FastifyReply, FastifyRequest } from "fastify";

const exposedHeaders =
  "etag, link, location, retry-after, preference-applied, ratelimit, ratelimit-policy, idempotent-replayed, api-version, x-trace-id, traceparent";
const allowedHeaders =
  "authorization, content-type, accept, idempotency-key, if-none-match, if-match, prefer, api-version, x-tenant-id, traceparent, last-event-id";

/** Lets pages from the listed origins read answers. Other origins get no such headers. */
export function cors(allowedOrigins: readonly string[]): (request: FastifyRequest, reply: FastifyReply) => void {
  if (allowedOrigins.length === 0) return () => {};
  const originSet = new Set(allowedOrigins);
  return ({ headers, method }, reply) => {
    reply.header("vary", "Origin");
    const { origin } = headers;
    if (origin === undefined || !originSet.has(origin)) return;
    reply.header("access-control-allow-origin", origin).header("access-control-expose-headers", exposedHeaders);
    if (method === "OPTIONS" && headers["access-control-request-method"] !== undefined)
      reply.headers({
        "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": allowedHeaders,
        "access-control-max-age": "600",
      });
  };
}
