import type { EgressResponse } from "@factory/runtime/egress/egress";
import { DomainError } from "@factory/runtime/errors/domain-error";
import { credentialRejected } from "./exchange/call-failure.js";
import type { TokenClient } from "./oauth2-client.js";

/** The tokens that a token endpoint has given, in plain text. They must not be logged. */
export interface GrantedTokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** The seconds that the access token is valid; undefined when the vendor does not say. */
  readonly expiresIn: number | undefined;
  readonly scope: string | undefined;
}

/** The tokens with the client that got them. */
export interface VendorTokens extends GrantedTokens {
  readonly client: TokenClient;
}

/** A token endpoint answers some kilobytes at most. */
export const maxTokenAnswerBytes = 64 * 1024;

const maxTokenCharacters = 16 * 1024;
const maxExpiresIn = 10 * 365 * 86_400;
/** RFC 6749, appendices A.12 and A.17 */
const tokenText = /^[\x20-\x7e]+$/;

/** The errors in RFC 6749, section 5.2, that say that the credential or the grant is refused. */
const rejections = new Set(["invalid_client", "invalid_grant", "unauthorized_client"]);

/** The other errors that a detail may name: RFC 6749, sections 4.1.2.1 and 5.2. */
const failures = new Set([
  "access_denied",
  "invalid_request",
  "invalid_scope",
  "server_error",
  "temporarily_unavailable",
  "unsupported_grant_type",
]);

/**
 * Reads a token endpoint's answer (RFC 6749, sections 5.1 and 5.2). Throws CREDENTIAL_REJECTED or UPSTREAM_FAILED.
 * Nothing in the answer but a known error code is repeated.
 */
export function parseTokenAnswer({ status, body, truncated }: Omit<EgressResponse, "headers">): GrantedTokens {
  const answer = truncated ? undefined : jsonObject(body);
  if (status < 200 || status > 299) throw refusal(status, answer?.["error"]);
  if (!answer) throw unreadable("The answer is not a JSON object of at most 64 KiB.");
  // Slack and others answer errors with the status 200.
  if (answer["access_token"] === undefined && typeof answer["error"] === "string") throw refusal(400, answer["error"]);
  return tokensOf(answer);
}

function tokensOf(answer: Record<string, unknown>): GrantedTokens {
  const { access_token: accessToken, token_type: type, expires_in: expiresIn, scope } = answer;
  if (!isToken(accessToken)) throw unreadable("The answer has no access_token.");
  if (typeof type !== "string" || type.toLowerCase() !== "bearer") throw unreadable("The token_type is not Bearer.");
  if (expiresIn !== undefined && !isLifetime(expiresIn)) throw unreadable("The value of expires_in is not a number.");
  const refreshToken = answer["refresh_token"] ?? undefined;
  if (refreshToken !== undefined && !isToken(refreshToken)) throw unreadable("The refresh_token is not a token.");
  const isScope = typeof scope === "string" && scope.length <= 4096;
  return { accessToken, refreshToken, expiresIn, scope: isScope ? scope : undefined };
}

const isToken = (value: unknown): value is string =>
  typeof value === "string" && value.length <= maxTokenCharacters && tokenText.test(value);

const isLifetime = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 && value <= maxExpiresIn;

function jsonObject(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function refusal(status: number, error: unknown): DomainError {
  const code = typeof error === "string" ? error : "";
  if (rejections.has(code) || (status === 401 && code === ""))
    return credentialRejected(`The vendor's token endpoint refused the credential (${code || "status 401"}).`);
  const knownError = failures.has(code) ? ` and the error ${code}` : "";
  return new DomainError("UPSTREAM_FAILED", {
    detail: `The vendor's token endpoint answered with the status ${status}${knownError}.`,
  });
}

const unreadable = (detail: string) =>
  new DomainError("UPSTREAM_FAILED", { detail: `The answer of the vendor's token endpoint cannot be used. ${detail}` });
