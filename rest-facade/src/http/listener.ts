import { DomainError } from "@factory/runtime/errors/domain-error";
import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import type { RefusalSink } from "@factory/runtime/messages/refusal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace, traceparent } from "@factory/runtime/telemetry/trace";
import { longWork } from "@factory/runtime/threads/long-work";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, type RouteOptions } from "fastify";
import { adviceFor } from "../routes/graph-lists.js";
import { documentedPath } from "../routes/route.js";
import { cors } from "./cors.js";
import { FrontDoor, type FrontDoorOptions, maxUrlLength, strictTransport } from "./front-door.js";
import { KnownPaths } from "./known-paths.js";
import { integrationMediaType } from "./match-version.js";
import { readingJson } from "./read-json.js";
import type { Meter } from "./request-metrics.js";
import { errorHandler, pathOf } from "./send-problem.js";

export const maxBodyBytes = 1024 * 1024;

/** How the two listeners differ. */
export interface ListenerOptions extends FrontDoorOptions {
  readonly allowedOrigins: readonly string[];
  readonly logger: Logger;
  readonly refusals: RefusalSink;
  readonly meterFor: (method: string, route: string) => Meter;
}

/** A fastify application and the Node server before it. */
export interface Listener {
  readonly app: FastifyInstance;
  readonly door: FrontDoor;
}

/** An HTTP server without routes: trace, security headers, strict bodies, and a problem answer for every failure. */
export function createListener(options: ListenerOptions): Listener {
  const door = new FrontDoor(options);
  const refuse = errorHandler(options.logger, options.refusals);
  const app = fastify({
    serverFactory: (handler) => door.open(handler),
    logger: false,
    bodyLimit: maxBodyBytes,
    return503OnClosing: false,
    routerOptions: { maxParamLength: maxUrlLength },
    clientErrorHandler: (error, socket) => door.refuse(error, socket),
    frameworkErrors: (error, request, reply) => {
      void refuse(error, request, reply);
    },
  });
  app.setErrorHandler(refuse);
  // declared before the first request, so that all request objects have one shape
  app.decorateRequest("principal", undefined);
  app.decorateRequest("trace", undefined as never);
  app.decorateRequest("bodyBytes", 0);
  app.decorateRequest("bodySize", undefined);
  readOnlyJson(app);
  const paths = new KnownPaths();
  app.addHook("onRoute", (route) => {
    paths.add(route.method, route.url);
    observe(route, options);
  });
  app.addHook("onRequest", welcome(options, paths));
  return { app, door };
}

function readOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, parseJson);
}

/** Accepts the vendor media type as a body format. Only the integration endpoints do. */
export function acceptVendorMediaType(app: FastifyInstance): void {
  app.addContentTypeParser(integrationMediaType, { parseAs: "buffer" }, parseJson);
}

type Done = (error: Error | null, body?: unknown) => void;

function parseJson(request: FastifyRequest, body: string | Buffer, callback: Done): void {
  const { headers, method } = request;
  request.bodyBytes = body.length;
  const encoding = headers["content-encoding"];
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headers["content-type"] ?? "")?.[1];
  if ((encoding !== undefined && encoding !== "identity") || (charset !== undefined && !/^utf-?8$/i.test(charset))) {
    callback(
      new DomainError("UNSUPPORTED_MEDIA_TYPE", {
        detail:
          "The body has a charset or a Content-Encoding that is not supported. Send UTF-8 text without a Content-Encoding.",
      }),
    );
    return;
  }
  // many clients send a media type without a body
  if (method === "DELETE" && body.length === 0) {
    callback(null);
    return;
  }
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
  const reading = readingJson(bytes, (size) => {
    request.bodySize = size;
  });
  try {
    // the tenants take turns, and callers without a token by their network
    const value = longWork.begin(request.principal?.tenantId ?? clientNetworkOf(request.raw), reading);
    if (value instanceof Promise) void settle(value, callback);
    else callback(null, value);
  } catch (error) {
    callback(error as Error);
  }
}

async function settle(reading: Promise<unknown>, callback: Done): Promise<void> {
  try {
    callback(null, await reading);
  } catch (error) {
    callback(error as Error);
  }
}

function welcome({ allowedOrigins, https, meterFor }: ListenerOptions, paths: KnownPaths) {
  const security = securityHeaders(https);
  const share = cors(allowedOrigins);
  const unmatchedMeter = meterFor("", "unmatched");
  return (request: FastifyRequest, reply: FastifyReply, callback: (error?: Error) => void) => {
    const traceHeader = request.headers["traceparent"];
    const trace = continueTrace(typeof traceHeader === "string" ? traceHeader : undefined);
    request.trace = trace;
    reply.headers(security).header("x-trace-id", trace.traceId).header("traceparent", traceparent(trace));
    share(request, reply);
    if (!request.is404) {
      callback();
      return;
    }
    reply.raw.once("finish", () => unmatchedMeter(reply.statusCode, reply.elapsedTime, undefined));
    const path = pathOf(request.url);
    const allowedMethods = paths.methodsOf(path);
    const advice = adviceFor(request.method, path);
    if (allowedMethods === undefined)
      callback(
        new DomainError("NOT_FOUND", {
          detail: `This path does not exist. The documented paths are listed at /docs.${advice}`,
        }),
      );
    else if (request.method === "OPTIONS") void reply.code(204).header("allow", allowedMethods).send();
    else {
      reply.header("allow", allowedMethods);
      callback(
        new DomainError("METHOD_NOT_ALLOWED", {
          detail: `This path does not answer this method. It answers ${allowedMethods}.${advice}`,
        }),
      );
    }
  };
}

/** The headers that every answer has. */
export function securityHeaders(https: boolean): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    ...(https ? Object.fromEntries([strictTransport]) : {}),
  };
}

function observe(route: RouteOptions, { meterFor, logger }: ListenerOptions): void {
  const name = documentedPath(route.url);
  const meters = new Map([route.method].flat().map((method) => [method, meterFor(method, name)]));
  const onResponse = (request: FastifyRequest, reply: FastifyReply, callback: () => void) => {
    const { principal, trace, method } = request;
    const durationMs = reply.elapsedTime;
    const meter = meters.get(method);
    meter?.(reply.statusCode, durationMs, principal?.tenantId);
    // the HEAD route that fastify adds to a GET route runs the GET route's hook and its own
    if (meter && logger.isLevelEnabled("debug"))
      logger.debug(
        {
          traceId: trace.traceId,
          tenantId: principal?.tenantId,
          operation: `${method} ${name}`,
          status: reply.statusCode,
          durationMs,
        },
        "answered",
      );
    callback();
  };
  route.onResponse = [route.onResponse ?? [], onResponse].flat();
}
