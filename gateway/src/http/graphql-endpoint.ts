import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { bodyPoints } from "@factory/rest-facade/body-points";
import { sendCompressed } from "@factory/rest-facade/compression";
import { type PageDocument, sendScriptPage } from "@factory/rest-facade/script-page";
import type { StaticFiles } from "@factory/rest-facade/static-files";
import { authenticate, type Verifier } from "@factory/runtime/auth/authenticate";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { originOfRequest } from "@factory/runtime/ingress/client-address";
import { HangUp } from "@factory/runtime/ingress/hang-up";
import { continueTrace, type Trace } from "@factory/runtime/telemetry/trace";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { GraphqlStreams } from "../event-streams/graphql-streams.js";
import { wantsEvents } from "../event-streams/wants-events.js";
import { graphiqlPage } from "../graphiql/page.js";
import type { GraphqlSockets } from "../websocket/graphql-sockets.js";
import type { GraphqlServer } from "./graphql-server.js";

interface GraphqlEndpoint {
  handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/**
 * Serves `/graphql`: GraphiQL for a browser, GraphQL over HTTP (GET for queries, POST), event streams where the header
 * Accept prefers them, and graphql-ws on upgrade.
 */
export function graphqlEndpoint(options: {
  server: GraphqlServer;
  sockets: GraphqlSockets;
  streams: GraphqlStreams;
  verifier: Verifier;
  /** Whether a browser gets GraphiQL, and the files of that page. */
  graphiql: boolean;
  pageFiles?: StaticFiles | undefined;
}): GraphqlEndpoint {
  let pageCache: PageDocument | undefined;
  return {
    upgrade: (request, socket, head) => options.sockets.upgrade(request, socket, head),
    async handle(request, reply) {
      if (options.graphiql && request.method === "GET" && wantsPage(request)) {
        pageCache ??= graphiqlPage(options.pageFiles);
        return sendScriptPage(request, reply, pageCache);
      }
      const context = await contextOf(request, reply, options.verifier);
      if (request.method !== "HEAD" && wantsEvents(request.headers.accept))
        return options.streams.handle({ request, reply, context });
      const { status, headers, body, mayBeCompressed } = await options.server.execute(
        {
          method: request.method,
          headers: headersOf(request),
          search: new URL(request.url, "http://any").search,
          body: request.body,
        },
        context,
      );
      for (const [name, value] of headers) reply.header(name, value);
      reply.code(status);
      return mayBeCompressed ? sendCompressed(reply, body) : reply.send(body);
    },
  };
}

/**
 * Creates a request's context, and refuses an invalid token. A missing token is refused later, when the document is
 * known, unless all root fields in the operation are anonymous.
 */
async function contextOf(request: FastifyRequest, reply: FastifyReply, verifier: Verifier): Promise<RequestContext> {
  const { headers, raw } = request;
  // The front door notes the principal with a refusal.
  const identify = (caller: Principal) => {
    request.principal = caller;
  };
  const principal = headers.authorization === undefined ? undefined : await authenticate(raw, verifier, identify);
  const idempotencyKey = headers["idempotency-key"];
  if (Array.isArray(idempotencyKey))
    throw new DomainError("IDEMPOTENCY_KEY_INVALID", {
      detail: "The request has more than one header Idempotency-Key. Send at most one.",
    });
  const context = requestContext({
    ...{ principal, idempotencyKey, lastEventId: lastEventIdOf(request) },
    ...{ trace: traceOf(request), signal: new HangUp(reply.raw) },
    ...originOfRequest(raw),
  });
  context.points = bodyPoints(request);
  return context;
}

/** Browsers send the header when a stream opens again, and leave it out while no event has had an id. */
function lastEventIdOf({ headers }: FastifyRequest): string | undefined {
  const id = headers["last-event-id"];
  return typeof id === "string" && id !== "" ? id : undefined;
}

/**
 * Returns the trace that the front door has started. Without the front door, the gateway continues the caller's trace.
 */
function traceOf(request: FastifyRequest & { trace?: Trace }): Trace {
  const parent = request.headers["traceparent"];
  return request.trace ?? continueTrace(typeof parent === "string" ? parent : undefined);
}

function wantsPage({ headers, query }: FastifyRequest): boolean {
  return (headers.accept ?? "").includes("text/html") && !(query as Record<string, unknown>)["query"];
}

function headersOf({ headers }: FastifyRequest): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
  );
}
