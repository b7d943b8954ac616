import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { matchesEntityTag } from "../http/entity-tag.js";
import type { Problem } from "../http/problem.js";
import { type Admission, admit } from "../requests/handle-route.js";
import { ofrepRoutes, streamPath } from "../routes/ofrep.routes.js";
import { endpointOf, fastifyPath } from "../routes/route.js";
import type { EventStreams } from "./event-streams.js";
import type { FeatureFlags, OfrepAnswer } from "./feature-flags.js";
import { maxContextBytes, ofrepMembers } from "./ofrep-members.js";

interface Ofrep {
  readonly flags: FeatureFlags;
  readonly streams: EventStreams;
  readonly admission: Admission;
}

/**
 * Serves the OpenFeature Remote Evaluation Protocol 0.3.0. These requests run no GraphQL operation, since clients send
 * them often and the answers come from memory.
 */
export function serveOfrep(app: FastifyInstance, { flags, streams, admission }: Ofrep): void {
  const { evaluate, evaluateAll, stream } = ofrepRoutes;
  const config = { errorMembers };
  const sharedOptions = { config, bodyLimit: maxContextBytes, method: "POST" } as const;
  const streamOf = streamAddresses(flags);
  app.route({
    ...sharedOptions,
    url: urlOf(evaluate),
    onRequest: admit(evaluate, evaluate.rate, admission),
    handler: (request, reply) => {
      const { key } = request.params as { key: string };
      const answer = flags.evaluate(callerOf(request), key, request.body);
      return answer instanceof Promise ? answer.then((laterAnswer) => send(laterAnswer, reply)) : send(answer, reply);
    },
  });
  app.route({
    ...sharedOptions,
    url: urlOf(evaluateAll),
    onRequest: admit(evaluateAll, evaluateAll.rate, admission),
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const answer = await flags.evaluateAll(caller, request.body, {
        stream: streamOf(caller, request),
        charge: async (points) => admission.limit?.charge(evaluateAll.rate, caller, { points, reply }),
      });
      if ("status" in answer) return send(answer, reply);
      reply.header("etag", answer.tag).header("cache-control", "private, no-cache");
      const knownTags = request.headers["if-none-match"];
      if (knownTags !== undefined && matchesEntityTag(knownTags, answer.tag))
        return reply.code(304).removeHeader("content-type").send();
      return reply.send(await answer.body());
    },
  });
  const admitStream = admit(stream, stream.rate, admission);
  app.route({
    config,
    method: "GET",
    exposeHeadRoute: false,
    url: urlOf(stream),
    onRequest: (request, reply) => {
      useTicket(request, flags);
      return admitStream(request, reply);
    },
    handler: (request, reply) => streams.open(callerOf(request), request, reply),
  });
}

const urlOf = ({ at }: { at: string }) => fastifyPath(endpointOf(at).path);

function send({ status, body }: OfrepAnswer, reply: FastifyReply): FastifyReply {
  return reply.code(status).header("cache-control", "no-store").send(body);
}

function callerOf({ principal }: FastifyRequest): Principal {
  if (!principal) throw new Error("The request was not admitted");
  return principal;
}

/** The stream's address is the same for each request with one token, so that clients keep their stream. */
function streamAddresses({ tickets }: FeatureFlags): (caller: Principal, request: FastifyRequest) => string {
  const addresses = new WeakMap<Principal, string>();
  return (caller, { headers }) => {
    const knownAddress = addresses.get(caller);
    if (knownAddress !== undefined) return knownAddress;
    const token = headers.authorization?.slice("bearer ".length).trim() ?? "";
    const address = `${streamPath}?ticket=${tickets.seal(token)}`;
    addresses.set(caller, address);
    return address;
  };
}

/** An EventSource cannot send a header, so the ticket in its address stands for the token. A header wins. */
function useTicket({ query, headers }: FastifyRequest, { tickets }: FeatureFlags): void {
  const { ticket } = query as { ticket?: unknown };
  if (headers.authorization !== undefined || ticket === undefined) return;
  const token = typeof ticket === "string" ? tickets.open(ticket) : undefined;
  if (token === undefined)
    throw new DomainError("TOKEN_INVALID", {
      detail: "The ticket of the event stream is not valid. Take the address from a new answer with all flags.",
    });
  headers.authorization = `Bearer ${token}`;
}

/** The members by which OFREP clients understand a platform problem. */
const errorMembers = ({ body }: Problem, { params }: FastifyRequest) =>
  ofrepMembers(body, ((params ?? {}) as { key?: string }).key);
