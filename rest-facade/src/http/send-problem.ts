import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace, type Trace } from "@factory/runtime/telemetry/trace";
import type { FastifyReply, FastifyRequest } from "fastify";
import { endAndLinger } from "./connections.js";
import { type Problem, problemMediaType, problemOf, requestAborted } from "./problem.js";

/** After a refusal this much of an unread body is still taken in, so that the caller gets to read the answer. */
const maxDrainedBytes = 8 * 1024 * 1024;

export const pathOf = (url: string) => {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
};

export function errorHandler(logger: Logger) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    // a URL that cannot be decoded is refused before any hook ran
    const trace = request.trace ?? continueTrace(undefined);
    // the caller has hung up: the answer is not read, and no operator has to act
    const aborted = request.raw.destroyed && !request.raw.complete;
    const problem = problemOf(aborted ? requestAborted() : error, {
      traceId: trace.traceId,
      instance: pathOf(request.url),
    });
    report(logger, problem, trace);
    if (drainable(request)) reply.removeHeader("connection");
    return reply
      .code(problem.status)
      .headers({
        ...problem.headers,
        "content-type": problemMediaType,
        "cache-control": "no-store",
        "x-trace-id": trace.traceId,
      })
      .send(Buffer.from(JSON.stringify(problem.body)));
  };
}

function drainable({ raw, headers }: FastifyRequest): boolean {
  return raw.complete || Number(headers["content-length"] ?? Number.NaN) <= maxDrainedBytes;
}

function report(logger: Logger, { cause, status, body }: Problem, trace: Trace): void {
  if (cause !== undefined)
    logger.error({ err: cause, traceId: trace.traceId, status, code: body["code"] }, "request failed");
}

/** Where fastify is not in between: pass-through paths and requests that its router never saw. */
export function answerWithProblem(response: ServerResponse, error: unknown, trace: Trace): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const problem = problemOf(error, { traceId: trace.traceId, instance: pathOf(response.req.url ?? "/") });
  const body = JSON.stringify(problem.body);
  response.writeHead(problem.status, { ...problem.headers, ...bareHeaders(body, trace) });
  response.end(response.req.method === "HEAD" ? undefined : body);
}

/** Where not even a response object exists: refused upgrades and requests that node could not read. */
export function closeWithProblem(socket: Duplex, error: unknown, url = "/"): void {
  const trace = continueTrace(undefined);
  const { status, body, headers } = problemOf(error, { traceId: trace.traceId, instance: pathOf(url) });
  const text = JSON.stringify(body);
  const lines = Object.entries({ ...headers, ...bareHeaders(text, trace), connection: "close" });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  endAndLinger(socket, `HTTP/1.1 ${status} ${String(body["title"])}\r\n${head}\r\n${text}`);
}

const bareHeaders = (body: string, trace: Trace) => ({
  "content-type": problemMediaType,
  "content-length": Buffer.byteLength(body),
  "cache-control": "no-store",
  "x-trace-id": trace.traceId,
});
