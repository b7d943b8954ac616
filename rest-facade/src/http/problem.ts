import { stepUpChallenge } from "@factory/runtime/auth/step-up";
import { DomainError, type ErrorFacts, type FieldError } from "@factory/runtime/errors/domain-error";
import { outageRefusal } from "@factory/runtime/errors/unavailable";
import { versionTag } from "@factory/runtime/input-validation/preconditions";
import { type ErrorCode, errorCodes, type HttpErrorCode } from "@factory/schema/error-codes";
import { GraphQLError } from "graphql";

/** RFC 9457 section 3. */
export const problemMediaType = "application/problem+json";

/** The answer to a refused request: a problem (RFC 9457) and the headers that belong to its code. */
export interface Problem {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
  /** The bug or outage that caused the answer. It is logged and never sent. */
  readonly cause?: unknown;
}

/** A refusal by HTTP's rules, with a status that no error code in the closed list has. */
export class HttpRefusal extends Error {
  override readonly name = "HttpRefusal";

  constructor(
    readonly status: number,
    readonly code: HttpErrorCode,
    readonly title: string,
    detail: string,
  ) {
    super(detail);
  }
}

interface Place {
  readonly traceId: string;
  /** The request's path, without its query. */
  readonly instance: string;
}

/** A problem's `type`: a path on this server, at which its meaning can be read. */
export const problemType = (code: ErrorCode) => `/problems/${code.toLowerCase().replaceAll("_", "-")}`;

/**
 * Turns every request failure into a problem. An outage becomes UNAVAILABLE and an unexpected error INTERNAL; both keep
 * their cause for the log.
 */
export function problemOf(error: unknown, place: Place): Problem {
  if (error instanceof DomainError) return refusal(error.code, error.facts, place);
  if (error instanceof GraphQLError) return graphqlProblem(error, place);
  if (error instanceof HttpRefusal) {
    const facts = { status: error.status, title: error.title, detail: error.message };
    return refusal(error.code, facts, place);
  }
  const framework = frameworkRefusal(error);
  if (framework) return problemOf(framework, place);
  const outage = outageRefusal(error);
  if (outage) return { ...refusal(outage.code, outage.facts, place), cause: error };
  return { ...refusal("INTERNAL", internal, place), cause: error };
}

const internal = { detail: "An internal error occurred." };

function refusal(code: ErrorCode, facts: ErrorFacts & { title?: string; status?: number }, place: Place): Problem {
  const entry = errorCodes[code];
  const { detail, errors, status = entry.status ?? 500, title = entry.title, ...further } = facts;
  return {
    status,
    headers: headersFor(code, facts),
    body: {
      ...further,
      type: problemType(code),
      title,
      status,
      detail: detail ?? title,
      instance: place.instance,
      code,
      traceId: place.traceId,
      ...(errors ? { errors } : {}),
    },
  };
}

const hidden = new Set(["code", "status", "traceId", "http", "type", "title", "detail", "instance", "serviceName"]);
const neverShown = new Set(["stacktrace", "exception", "originalError"]);

function graphqlProblem(error: GraphQLError, place: Place): Problem {
  const foreignCode = error.extensions["code"];
  const code = typeof foreignCode === "string" ? (foreignCodes[foreignCode] ?? foreignCode) : "INTERNAL";
  if (!isErrorCode(code) || errorCodes[code].status === null || code === "INTERNAL")
    // a subgraph that names the trace has logged the cause already
    return error.extensions["traceId"] === undefined
      ? { ...refusal("INTERNAL", internal, place), cause: error.originalError ?? error }
      : refusal("INTERNAL", internal, place);
  const facts: ErrorFacts = Object.fromEntries(
    Object.entries(error.extensions).filter(([name]) => !hidden.has(name) && !neverShown.has(name)),
  );
  if (code === "UPSTREAM_FAILED") return { ...refusal(code, upstream, place), cause: error.originalError ?? error };
  if (facts.errors) facts.errors = facts.errors.map(intoRequest);
  return refusal(code, { ...facts, detail: error.message }, place);
}

/** Subgraphs point into their arguments. Over REST the argument `input` is the body and `filter` is the query string. */
const intoRequest = (error: FieldError): FieldError => ({
  ...error,
  pointer: error.pointer.replace(/^\/(?:input|filter)(?=\/|$)/, ""),
});

const upstream = { detail: "A service that this endpoint needs has failed. Try again later." };

/** GraphQL servers' error codes and the codes with the same meaning in our closed list. */
const foreignCodes: Record<string, ErrorCode | undefined> = {
  BAD_USER_INPUT: "VALIDATION_FAILED",
  DOWNSTREAM_SERVICE_ERROR: "UPSTREAM_FAILED",
};

/** Whether a text is a code in the closed list. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code);

function headersFor(code: ErrorCode, facts: ErrorFacts): Record<string, string> {
  const challenge = challenges[code] ?? stepUpChallenge(code, facts);
  if (challenge) return { "www-authenticate": challenge };
  if (code === "INSUFFICIENT_SCOPE") {
    const scopes = Array.isArray(facts["requiredScopes"]) ? facts["requiredScopes"].join(" ") : "";
    return { "www-authenticate": `Bearer error="insufficient_scope", scope="${scopes}"` };
  }
  const { retryAfterSeconds, currentVersion } = facts;
  if (code === "PRECONDITION_FAILED" && typeof currentVersion === "number") return { etag: versionTag(currentVersion) };
  if (!retriedCodes.has(code)) return {};
  if (typeof retryAfterSeconds === "number") return { "retry-after": `${Math.ceil(retryAfterSeconds)}` };
  return soonRetriedCodes.has(code) ? { "retry-after": "1" } : {};
}

/** The codes that are worth another try after a second, unless the error names another time. */
const soonRetriedCodes: ReadonlySet<ErrorCode> = new Set([
  "UNAVAILABLE",
  "SECRET_STORE_UNAVAILABLE",
  "IDEMPOTENCY_IN_PROGRESS",
]);
const retriedCodes: ReadonlySet<ErrorCode> = new Set([...soonRetriedCodes, "RATE_LIMITED", "QUOTA_EXCEEDED"]);

/** The WWW-Authenticate challenges. A request without credentials gets one without an error (RFC 6750 section 3). */
const challenges: Partial<Record<ErrorCode, string>> = {
  UNAUTHENTICATED: "Bearer",
  TOKEN_INVALID: 'Bearer error="invalid_token", error_description="The access token is not valid."',
  TOKEN_EXPIRED: 'Bearer error="invalid_token", error_description="The access token has expired."',
  // The same for every vendor scheme, so that it tells nothing about the provider.
  SIGNATURE_INVALID: "Signature",
  SIGNATURE_MISSING: "Signature",
  SIGNATURE_EXPIRED: "Signature",
};

export const uriTooLong = () =>
  new DomainError("URI_TOO_LONG", { detail: "The URL is longer than 8 KiB, which is the limit." });
export const headersTooLarge = () =>
  new DomainError("HEADERS_TOO_LARGE", { detail: "The headers are longer than 16 KiB together, which is the limit." });
export const requestTimedOut = () =>
  new DomainError("REQUEST_TIMEOUT", { detail: "The request did not arrive completely in time. Send it again." });
export const requestAborted = () =>
  new HttpRefusal(400, "VALIDATION_FAILED", "Bad request", "The request ended before its body was complete.");

function frameworkRefusal(error: unknown): DomainError | HttpRefusal | undefined {
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  // other libraries put a statusCode on their errors too, so only fastify's own errors count
  if (typeof code !== "string" || !code.startsWith("FST_")) return undefined;
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new DomainError("PAYLOAD_TOO_LARGE", { detail: "The body is larger than 1 MiB, which is the limit." });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new DomainError("UNSUPPORTED_MEDIA_TYPE", { detail: "The header Content-Type must be application/json." });
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new DomainError("MALFORMED_JSON", {
        detail: "The length of the body differs from its header Content-Length.",
      });
    case "FST_ERR_BAD_URL":
      return new DomainError("VALIDATION_FAILED", { detail: "The URL is not well formed." });
    default:
  }
  if (typeof statusCode !== "number" || statusCode < 400 || statusCode > 499) return undefined;
  return statusCode === 404
    ? new DomainError("NOT_FOUND")
    : new HttpRefusal(statusCode, "VALIDATION_FAILED", "Bad request", "The request is not well formed.");
}
