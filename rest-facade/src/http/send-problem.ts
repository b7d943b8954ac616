import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { originOfRequest } from "@factory/runtime/ingress/client-address";
import { namedSubject } from "@factory/runtime/messages/named-subject";
import { isAuditedStatus, type Refusal, type RefusalSink } from "@factory/runtime/messages/refusal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace, type Trace } from "@factory/runtime/telemetry/trace";
import type { FastifyReply, FastifyRequest } from "fastify";
import { documentedPath } from "../routes/route.js";
import { endAndLinger } from "./connections.js";
import { type Problem, problemMediaType, problemOf, requestAborted } from "./problem.js";

/** This many bytes in an unread body are read after a refusal, so that the caller can read the answer. */
const maxDrainedBytes = 8 * 1024 * 1024;

export const pathOf = (url: string) => {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
};

/** Answers every request error with a problem, and notes refusals for the audit log. */
export function errorHandler(logger: Logger, refusals: RefusalSink) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    // fastify refuses a URL that it cannot decode before any hook runs
    const trace = request.trace ?? continueTrace(undefined);
    // the caller has closed the connection: the answer is not read, and an operator need not act
    const isAborted = request.raw.destroyed && !request.raw.complete;
    const problem = problemOf(isAborted ? requestAborted() : error, {
      traceId: trace.traceId,
      instance: pathOf(request.url),
    });
    report(logger, problem, trace);
    if (isAuditedStatus(problem.status)) refusals.note(refusalOf(problem, request, trace));
    const further = request.routeOptions?.config?.errorMembers?.(problem, request);
    if (drainable(request)) reply.removeHeader("connection");
    return reply
      .code(problem.status)
      .headers({
        ...problem.headers,
        "content-type": problemMediaType,
        "cache-control": "no-store",
        "x-trace-id": trace.traceId,
      })
      .send(Buffer.from(JSON.stringify({ ...problem.body, ...further })));
  };
}

function refusalOf({ status, body }: Problem, request: FastifyRequest, trace: Trace): Refusal {
  const { principal, method, raw, params } = request;
  const { url = "", config } = request.routeOptions;
  const operation = config.rootField ?? `${method} ${documentedPath(url)}`;
  return {
    operation,
    code: String(body["code"]),
    status,
    trace,
    principal,
    origin: originOfRequest(raw),
    subject: namedSubject(operation, params),
  };
}

function drainable({ raw, headers }: FastifyRequest): boolean {
  return raw.complete || Number(headers["content-length"] ?? Number.NaN) <= maxDrainedBytes;
}

function report(logger: Logger, { cause, status, body }: Problem, trace: Trace): void {
  if (cause !== undefined)
    logger.error({ err: cause, traceId: trace.traceId, status, code: body["code"] }, "request failed");
}

/** Sends a problem without fastify, on pass-through paths and for requests that its router has not seen. */
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

/** Sends a problem where a response object does not exist: a refused upgrade, or a request that Node could not parse. */
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
