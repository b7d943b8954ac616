import { stepUpChallenge } from "@factory/runtime/auth/step-up";
import { DomainError, type ErrorFacts, type FieldError } from "@factory/runtime/errors/domain-error";
import { type ErrorCode, errorCodes, type HttpErrorCode } from "@factory/schema/error-codes";
import { GraphQLError } from "graphql";

export const problemMediaType = "application/problem+json";

/** What goes out for a refusal: an RFC 9457 problem and the headers that belong to its code. */
export interface Problem {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
  /** A bug or an outage behind the answer, for the log only. */
  readonly cause?: unknown;
}

/** A refusal of HTTP itself, whose status no code of the closed list carries. */
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
  /** The path of the request, without its query. */
  readonly instance: string;
}

export const problemType = (code: ErrorCode) => `/problems/${code.toLowerCase().replaceAll("_", "-")}`;

/** Every failure of a request becomes a problem here; what nobody expected answers as INTERNAL and keeps its cause. */
export function problemOf(error: unknown, place: Place): Problem {
  if (error instanceof DomainError) return refusal(error.code, error.facts, place);
  if (error instanceof GraphQLError) return graphqlProblem(error, place);
  if (error instanceof HttpRefusal) {
    const facts = { status: error.status, title: error.title, detail: error.message };
    return refusal(error.code, facts, place);
  }
  const framework = frameworkRefusal(error);
  if (framework) return problemOf(framework, place);
  return { ...refusal("INTERNAL", internal, place), cause: error };
}

const internal = { detail: "An internal error occurred." };

function refusal(code: ErrorCode, facts: ErrorFacts & { title?: string; status?: number }, place: Place): Problem {
  const known = errorCodes[code];
  const { detail, errors, status = known.status ?? 500, title = known.title, ...further } = facts;
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
  const given = error.extensions["code"];
  const code = typeof given === "string" ? (foreignCodes[given] ?? given) : "INTERNAL";
  if (!isErrorCode(code) || errorCodes[code].status === null || code === "INTERNAL")
    // a subgraph that names the trace has logged the cause where it arose
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

/** Subgraphs point into their arguments; here `input` is the body itself, and `filter` the query string. */
const intoRequest = (error: FieldError): FieldError => ({
  ...error,
  pointer: error.pointer.replace(/^\/(?:input|filter)(?=\/|$)/, ""),
});

const upstream = { detail: "A service behind this endpoint failed." };

/** Codes of GraphQL servers for what our closed list names otherwise. */
const foreignCodes: Record<string, ErrorCode | undefined> = {
  BAD_USER_INPUT: "VALIDATION_FAILED",
  DOWNSTREAM_SERVICE_ERROR: "UPSTREAM_FAILED",
};

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCodes, code);

function headersFor(code: ErrorCode, facts: ErrorFacts): Record<string, string> {
  const challenge = challenges[code];
  if (challenge) return { "www-authenticate": challenge };
  if (code === "INSUFFICIENT_SCOPE") {
    const scopes = Array.isArray(facts["requiredScopes"]) ? facts["requiredScopes"].join(" ") : "";
    return { "www-authenticate": `Bearer error="insufficient_scope", scope="${scopes}"` };
  }
  if (code === "UNAVAILABLE" || code === "SECRET_STORE_UNAVAILABLE" || code === "IDEMPOTENCY_IN_PROGRESS")
    return { "retry-after": "1" };
  const { retryAfterSeconds } = facts;
  if (code === "RATE_LIMITED" && typeof retryAfterSeconds === "number")
    return { "retry-after": `${retryAfterSeconds}` };
  return {};
}

/** RFC 6750 section 3: a request without credentials is challenged without an error. */
const challenges: Partial<Record<ErrorCode, string>> = {
  UNAUTHENTICATED: "Bearer",
  TOKEN_INVALID: 'Bearer error="invalid_token", error_description="The access token is not valid."',
  TOKEN_EXPIRED: 'Bearer error="invalid_token", error_description="The access token has expired."',
  AUTHENTICATION_TOO_OLD: stepUpChallenge,
};

export const uriTooLong = () => new DomainError("URI_TOO_LONG", { detail: "The URL is longer than 8 KiB." });
export const headersTooLarge = () => new DomainError("HEADERS_TOO_LARGE", { detail: "The headers are over 16 KiB." });
export const requestTimedOut = () =>
  new DomainError("REQUEST_TIMEOUT", { detail: "The request did not arrive in time." });
export const requestAborted = () =>
  new HttpRefusal(400, "VALIDATION_FAILED", "Bad request", "The request ended before its body.");

function frameworkRefusal(error: unknown): DomainError | HttpRefusal | undefined {
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown };
  // other libraries put a statusCode on errors of their own, which say nothing about this request
  if (typeof code !== "string" || !code.startsWith("FST_")) return undefined;
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new DomainError("PAYLOAD_TOO_LARGE", { detail: "The body is over 1 MiB." });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new DomainError("UNSUPPORTED_MEDIA_TYPE", { detail: "The body must be sent as application/json." });
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new DomainError("MALFORMED_JSON", { detail: "The body is shorter or longer than announced." });
    case "FST_ERR_BAD_URL":
      return new DomainError("VALIDATION_FAILED", { detail: "The URL is not well formed." });
    default:
  }
  if (typeof statusCode !== "number" || statusCode < 400 || statusCode > 499) return undefined;
  return statusCode === 404
    ? new DomainError("NOT_FOUND")
    : new HttpRefusal(statusCode, "VALIDATION_FAILED", "Bad request", "The request is not well formed.");
}
