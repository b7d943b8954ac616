import type { IncomingMessage, ServerResponse } from "node:http";
import { authenticate, type Verifier } from "@factory/runtime/auth/authenticate";
import type { Principal } from "@factory/runtime/auth/principal";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace, type Trace, traceparent } from "@factory/runtime/telemetry/trace";
import { problemMediaType, problemOf } from "../http/problem.js";
import { readJson } from "../http/read-json.js";
import type { Meter } from "../http/request-metrics.js";
import { pathOf } from "../http/send-problem.js";
import type { RateLimits, RateState } from "../rate-limits/rate-limits.js";
import { ofrepRoutes } from "../routes/ofrep.routes.js";
import type { FeatureFlags, OfrepAnswer } from "./feature-flags.js";
import { maxContextBytes, ofrepMembers } from "./ofrep-members.js";

/** Answers a request without the router, and returns true; `pass` gives it to the router as it came. */
export type DirectAnswer = (request: IncomingMessage, response: ServerResponse, pass: () => void) => boolean;

interface DirectParts {
  readonly flags: FeatureFlags;
  readonly verifier: Verifier;
  readonly limits: RateLimits;
  /** The headers that every answer has. */
  readonly headers: Readonly<Record<string, string>>;
  readonly meter: Meter;
  readonly logger: Logger;
}

const path = /^\/ofrep\/v1\/evaluate\/flags\/([A-Za-z0-9][A-Za-z0-9._-]{0,99})$/;
const { rate, scopes } = ofrepRoutes.evaluate;

/**
 * Evaluates one flag without the router, to save its cost. Any other case than a server with a valid token goes to the
 * router, so that every refusal is made in one place.
 */
export function directEvaluation(parts: DirectParts): DirectAnswer {
  return (request, response, pass) => {
    const key = request.method === "POST" ? path.exec(request.url ?? "")?.[1] : undefined;
    if (key === undefined || !isCommon(request)) return false;
    admit(request, parts).then((admission) => {
      if (admission) void evaluate(key, admission, { request, response, parts });
      else pass();
    }, pass);
    return true;
  };
}

interface Admitted {
  readonly principal: Principal;
  readonly state: RateState;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly parts: DirectParts;
}

function isCommon({ headers }: IncomingMessage): boolean {
  const type = headers["content-type"];
  return (
    (type === "application/json" || type === "application/json; charset=utf-8") &&
    headers["content-encoding"] === undefined &&
    headers.origin === undefined &&
    Number(headers["content-length"] ?? Number.NaN) <= maxContextBytes
  );
}

/** Undefined or an error: the router refuses the request. */
async function admit(request: IncomingMessage, { verifier, limits }: DirectParts): Promise<Admitted | undefined> {
  const principal = await authenticate(request, verifier);
  if (!scopes.some((scope) => principal.scopes.has(scope))) return undefined;
  const state = await limits.spend(rate, principal);
  return state.exceeded ? undefined : { principal, state };
}

async function evaluate(key: string, { principal, state }: Admitted, exchange: Exchange): Promise<void> {
  const { request, response, parts } = exchange;
  const arrivalTime = performance.now();
  const traceHeader = request.headers["traceparent"];
  const trace = continueTrace(typeof traceHeader === "string" ? traceHeader : undefined);
  const limit = { "ratelimit-policy": state.policy, ratelimit: `"${rate}";r=${state.remaining};t=${state.seconds}` };
  try {
    const body = await bodyOf(request);
    const { status, body: text } = await parts.flags.evaluate(principal, key, readJson(body));
    send(exchange, trace, { status, body: text, type: "application/json; charset=utf-8", further: limit });
  } catch (error) {
    // the caller has gone in the middle of its body: it gets no answer, and the platform has no fault
    if (request.destroyed && !request.complete) return;
    const { status, body, headers, cause } = problemOf(error, {
      traceId: trace.traceId,
      instance: pathOf(request.url ?? ""),
    });
    if (cause !== undefined) parts.logger.error({ err: cause, traceId: trace.traceId, status }, "request failed");
    const text = JSON.stringify({ ...body, ...ofrepMembers(body, key) });
    send(exchange, trace, { status, body: text, type: problemMediaType, further: { ...limit, ...headers } });
  }
  parts.meter(response.statusCode, performance.now() - arrivalTime, principal.tenantId);
}

interface Text extends OfrepAnswer {
  readonly type: string;
  readonly further: Readonly<Record<string, string>>;
}

function send({ response, parts }: Exchange, trace: Trace, { status, body, type, further }: Text): void {
  response.writeHead(status, {
    ...parts.headers,
    "x-trace-id": trace.traceId,
    traceparent: traceparent(trace),
    ...further,
    "content-type": type,
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** Rejects when the caller has gone before the end. */
function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.once("error", reject);
  });
}
