import type { IncomingMessage, ServerResponse } from "node:http";

/** Sets an answer's CORS headers. True: the request was a preflight, and has been answered. */
type Cors = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * CORS (Fetch standard) for the token and userinfo endpoints: pages from the allowed origins may call them and read the
 * answers, without cookies.
 */
export function corsFor(allowedOrigins: readonly string[]): Cors {
  const origins = new Set(allowedOrigins);
  return ({ headers, method }, response) => {
    if (origins.size === 0) return false;
    response.setHeader("vary", "Origin");
    const { origin } = headers;
    if (origin === undefined || !origins.has(origin)) return false;
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-expose-headers", "retry-after, www-authenticate, x-trace-id");
    if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) return false;
    response
      .writeHead(204, {
        "access-control-allow-methods": "GET, POST",
        "access-control-allow-headers": "authorization, content-type, traceparent",
        "access-control-max-age": "600",
      })
      .end();
    return true;
  };
}
