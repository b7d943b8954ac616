import { authenticate, type Verifier } from "@factory/runtime/auth/authenticate";
import { requireOwnPerson } from "@factory/runtime/auth/own-person";
import type { Principal } from "@factory/runtime/auth/principal";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { clientNetworkOf, originOfRequest } from "@factory/runtime/ingress/client-address";
import { HangUp } from "@factory/runtime/ingress/hang-up";
import { versionTag } from "@factory/runtime/input-validation/preconditions";
import { type RequestContext, requestContext } from "@factory/runtime/tenancy/request-context";
import type { RateClass } from "@factory/schema/rate-classes";
import type { FastifyReply, FastifyRequest } from "fastify";
import { addHeader } from "../http/add-header.js";
import { entityTag, matchesEntityTag } from "../http/entity-tag.js";
import { apiVersion, matchApiVersion, matchMediaType } from "../http/match-version.js";
import type { RateLimit } from "../rate-limits/rate-limits.js";
import type { PlainRoute, Route } from "../routes/route.js";
import type { CompiledRoute } from "./compile-route.js";
import { idempotencyKey } from "./idempotency-key.js";
import type { OperationResult } from "./prepared-operation.js";
import { retryAfter } from "./retry-after.js";

type Answer = Record<string, unknown>;
type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** The token verifier and the limits that `admit` uses. */
export interface Admission {
  readonly verifier: Verifier;
  /** The internal listener has none. */
  readonly limit?: RateLimit | undefined;
}

/** Makes the checks that need no body: API version, token, tenant, rate limit and scope. */
export function admit(row: Route | PlainRoute, rate: RateClass, { verifier, limit }: Admission): Handler {
  const { version } = row;
  return async (request, reply) => {
    const { headers } = request;
    if (version === "header") {
      reply.header("api-version", apiVersion).header("api-supported-versions", apiVersion);
      matchApiVersion(headers["api-version"]);
    }
    const mediaType = version === "media-type" ? negotiate(request, reply) : undefined;
    if ("anonymous" in row && row.anonymous) await limit?.ofAddress(clientNetworkOf(request.raw), reply);
    else {
      const principal = await authenticate(request.raw, verifier, (caller) => {
        request.principal = caller;
      });
      await limit?.ofTenant(rate, principal, reply);
      requireScope(row, principal);
    }
    reply.header("content-type", mediaType ?? "application/json; charset=utf-8");
  };
}

function negotiate(request: FastifyRequest, reply: FastifyReply): string {
  addHeader(reply, "vary", "Accept");
  return matchMediaType(request.headers.accept);
}

function requireScope(row: Route | PlainRoute, principal: Principal): void {
  if ("forPeople" in row && row.forPeople) return requireOwnPerson(principal);
  if (!row.scopes.some((scope) => principal.scopes.has(scope)))
    throw new DomainError("INSUFFICIENT_SCOPE", {
      detail: `The token needs one of the scopes ${row.scopes.join(", ")}.`,
      requiredScopes: row.scopes,
    });
  if ("platformAdmin" in row && row.platformAdmin && !principal.platformAdmin)
    throw new DomainError("PLATFORM_ADMIN_REQUIRED", {
      detail: "This operation needs a token of a platform administrator.",
    });
}

/** `limit`: where the operation costs more than its first point. */
type RouteHandler = (request: FastifyRequest, reply: FastifyReply, limit?: RateLimit) => Promise<unknown>;

/** Runs a route's operation and sends its one root field's result as the body. */
export function handleRoute(route: CompiledRoute): RouteHandler {
  const { row, operation, prepared, read, waits, rate } = route;
  const answer = route.method === "GET" ? sendResource(route) : sendResult(route);
  return async (request, reply, limit) => {
    const variables = read(request);
    const context = requestContext({
      principal: request.principal,
      trace: request.trace,
      idempotencyKey: row.idempotent ? idempotencyKey(request) : undefined,
      internal: row.surface === "internal",
      ...originOfRequest(request.raw),
      signal: new HangUp(reply.raw),
    });
    const result = await prepared.run(variables, context);
    const { principal, points } = context;
    if (principal && points > 0) limit?.charge(rate, principal, { points, reply });
    const body = bodyOf(result, operation.name);
    if (waits) addHeader(reply, "vary", "Prefer");
    // RFC 7240 section 3
    if (context.waitedSeconds !== undefined) reply.header("preference-applied", `wait=${context.waitedSeconds}`);
    return answer(body, request, reply, context);
  };
}

/** Throws NOT_FOUND only if the root field is null and no error was reported. */
function bodyOf({ data, errors, extensions }: OperationResult, rootField: string): Answer {
  const [first] = errors ?? [];
  // data beside an error is not sent: a REST body is complete or a problem
  if (first) throw first;
  const body = data?.[rootField] as Answer | null | undefined;
  const completionErrors = extensions?.["valueCompletion"];
  if (body === undefined || completionErrors !== undefined)
    throw new Error(`The answer to ${rootField} does not fit the graph`, {
      cause: Array.isArray(completionErrors) ? completionErrors[0] : completionErrors,
    });
  if (body === null)
    throw new DomainError("NOT_FOUND", { detail: "The resource does not exist, or it belongs to another tenant." });
  return body;
}

type Send = (body: Answer, request: FastifyRequest, reply: FastifyReply, context: RequestContext) => unknown;

function sendResource({ row, query }: CompiledRoute): Send {
  const { retryWhile } = row;
  const isList = query.some(({ variable }) => variable === "after");
  return (body, request, reply) => {
    const text = JSON.stringify(body);
    const tag = row.etag ? tagOf(row.etag, body) : entityTag(text);
    reply.header("etag", tag).header("cache-control", "private, no-cache");
    if (retryWhile?.includes(String(body["status"]))) reply.header("retry-after", retryAfter(body));
    if (isList && typeof body["nextCursor"] === "string" && body["hasMore"] !== false)
      reply.header("link", nextPage(request.url, body["nextCursor"]));
    const knownTags = request.headers["if-none-match"];
    if (knownTags !== undefined && matchesEntityTag(knownTags, tag))
      return reply.code(304).removeHeader("content-type").send();
    reply.code(row.reply);
    return serialized(text, reply);
  };
}

function nextPage(url: string, cursor: string): string {
  const [path = "", query = ""] = url.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.delete("pageToken");
  parameters.set("cursor", cursor);
  return `<${path}?${parameters.toString()}>; rel="next"`;
}

function sendResult({ row, location }: CompiledRoute): Send {
  return (result, request, reply, context) => {
    const { body, status, waitsFor } = shownAnswer(row, result);
    reply.code(status).header("cache-control", "no-store");
    if (context.replayed) reply.header("idempotent-replayed", "true");
    if (waitsFor !== undefined) reply.header("location", `/v1/approvals/${waitsFor}`);
    else if (row.etag && status !== 204) reply.header("etag", tagOf(row.etag, body));
    if (status === 204) return reply.removeHeader("content-type").send();
    const place = location?.(body, request.params as Record<string, string>);
    if (place !== undefined) {
      reply.header("location", place);
      if (row.reply === 202) reply.header("retry-after", "1");
    }
    return serialized(JSON.stringify(body), reply);
  };
}

function tagOf(member: string, { [member]: version }: Answer): string {
  if (typeof version !== "number") throw new Error(`The answer has no number ${member}, although its row has an etag`);
  return versionTag(version);
}

interface ShownAnswer {
  readonly body: Answer;
  readonly status: Route["reply"];
  /** The approval that the change waits for. */
  readonly waitsFor?: string;
}

/** The answer without the members that only decide about its status. */
function shownAnswer({ reply, mayExist, mayWait }: Route, result: Answer): ShownAnswer {
  if (!mayExist && !mayWait) return { body: result, status: reply };
  const { created, approvalId, ...body } = result;
  if (typeof approvalId === "string") return { body: { ...body, approvalId }, status: 202, waitsFor: approvalId };
  return { body, status: mayExist && created === false ? 200 : reply };
}

/** fastify adds a charset to JSON text but not to bytes, so the vendor media type is sent as bytes. */
function serialized(text: string, reply: FastifyReply): string | Buffer {
  return String(reply.getHeader("content-type")).includes("charset") ? text : Buffer.from(text);
}
