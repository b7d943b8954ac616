import { isDatabaseUnavailable } from "@factory/runtime/errors/database-failure";
import { type ErrorCode, errorCodes } from "@factory/schema/error-codes";
import { errors } from "oidc-provider";

/** A refusal of ours inside the provider: an OAuth error word and the platform's own code for it. */
export class OAuthError extends errors.CustomOIDCProviderError {
  constructor(
    readonly code: ErrorCode,
    error: string,
    description: string,
    readonly facts: { status?: number; retryAfterSeconds?: number; members?: Record<string, string> } = {},
  ) {
    super(error, description);
    this.status = this.statusCode = facts.status ?? 400;
  }
}

/** RFC 6749 section 5.2, with `code` and `traceId` as everywhere on the platform (8.5 allows more members). */
export interface OAuthErrorBody {
  error: string;
  error_description: string;
  code: ErrorCode;
  traceId: string;
}

export interface OAuthErrorResponse {
  status: number;
  body: Omit<OAuthErrorBody, "traceId">;
  headers: Record<string, string>;
}

const codeOfStatus: Record<number, ErrorCode> = { 400: "VALIDATION_FAILED", 401: "UNAUTHENTICATED" };

/** oidc-provider 9.13 answers invalid_request where RFC 6749 section 5.2 and RFC 7521 section 4.2.1 have a word of their own. */
const errorOverrides: Record<string, { status: number; error: string }> = {
  "no client authentication mechanism provided": { status: 401, error: "invalid_client" },
  "invalid client_assertion format": { status: 401, error: "invalid_client" },
  "client_id mismatch": { status: 401, error: "invalid_client" },
  "requested grant type is not allowed for this client": { status: 400, error: "unauthorized_client" },
};

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
  const code = isDatabaseUnavailable(failure) ? "UNAVAILABLE" : "INTERNAL";
  const { status, title } = errorCodes[code];
  const error = code === "UNAVAILABLE" ? "temporarily_unavailable" : "server_error";
  return {
    status,
    body: { error, error_description: title, code },
    headers: status === 503 ? { "retry-after": "1" } : {},
  };
}
