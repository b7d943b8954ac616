import { isTemporary } from "@factory/runtime/errors/unavailable";
import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import { errors } from "oidc-provider";

/**
 * An error at the token and authorization endpoints with an OAuth `error` value and the platform's own code. `facts`
 * may hold the HTTP status (400 if absent), the `Retry-After` value, and more members for the answer.
 */
export class OAuthError extends errors.CustomOIDCProviderError {
  constructor(
    readonly code: ErrorCode,
    error: string,
    description: string,
    readonly facts: {
      audited?: true;
      status?: number;
      retryAfterSeconds?: number;
      members?: Record<string, string>;
    } = {},
  ) {
    super(error, description);
    this.status = this.statusCode = facts.status ?? 400;
  }
}

/** RFC 6749 section 5.2, with the platform's `code` and `traceId` (section 8.5 allows more members). */
interface OAuthErrorBody {
  error: string;
  error_description: string;
  code: ErrorCode;
  traceId: string;
}

/** An error answer's status, body and headers; the trace id is added where it is sent. */
export interface OAuthErrorResponse {
  status: number;
  body: Omit<OAuthErrorBody, "traceId">;
  headers: Record<string, string>;
}

const codeOfStatus: Record<number, ErrorCode> = { 400: "VALIDATION_FAILED", 401: "UNAUTHENTICATED" };

/**
 * By oidc-provider 9.13's description: it answers `invalid_request` in cases for which RFC 6749 section 5.2 and RFC
 * 7521 section 4.2.1 have other `error` values.
 */
const errorOverrides: Record<string, { status: number; error: string }> = {
  "no client authentication mechanism provided": { status: 401, error: "invalid_client" },
  "invalid client_assertion format": { status: 401, error: "invalid_client" },
  "client_id mismatch": { status: 401, error: "invalid_client" },
  "requested grant type is not allowed for this client": { status: 400, error: "unauthorized_client" },
};

/**
 * The answer to any error in a request: the platform's own errors, oidc-provider's errors, and failures (503 or 500).
 */
export function oauthErrorResponse(failure: unknown, issuer: string): OAuthErrorResponse {
  if (failure instanceof OAuthError) {
    const { retryAfterSeconds, members } = failure.facts;
    const { error, error_description: description = "", code } = failure;
    return {
      status: failure.statusCode,
      body: { error, error_description: description, code, ...members },
      headers: retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) },
    };
  }
  if (failure instanceof errors.OIDCProviderError && failure.expose) {
    const description = failure.error_description ?? failure.error;
    const { status, error } = errorOverrides[description] ?? { status: failure.statusCode, error: failure.error };
    return {
      status,
      body: { error, error_description: description, code: codeOfStatus[status] ?? "VALIDATION_FAILED" },
      headers: status === 401 ? { "www-authenticate": `Basic realm="${issuer}", error="${error}"` } : {},
    };
  }
  const code = isTemporary(failure) ? "UNAVAILABLE" : "INTERNAL";
  const { status, title } = errorCodes[code];
  const error = code === "UNAVAILABLE" ? "temporarily_unavailable" : "server_error";
  return {
    status,
    body: { error, error_description: title, code },
    headers: status === 503 ? { "retry-after": "1" } : {},
  };
}
