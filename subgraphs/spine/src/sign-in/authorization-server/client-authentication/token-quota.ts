import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import type { KoaContextWithOIDC } from "oidc-provider";
import type { TokenRateLimiter } from "../../../ground/request-limits/token-rate-limiter.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import type { RegisteredClient } from "./registered-client.js";

/** Counts a request at the token endpoint. Throws `rate_limited` if it exceeds the client's limit. */
export function countTokenRequest(
  limiter: TokenRateLimiter,
  { oidc }: KoaContextWithOIDC,
  key: string,
  { editionCode }: RegisteredClient,
): void {
  if (oidc.route !== "token") return;
  const retryAfterSeconds = limiter.consume(key, editionCode);
  if (retryAfterSeconds !== undefined) throw tooManyTokens(retryAfterSeconds);
}

/** Throws `rate_limited` if the next request would exceed the limit; counts nothing. For use before a row is stored. */
export function requireTokenQuota(
  limiter: TokenRateLimiter,
  { oidc }: KoaContextWithOIDC,
  client: RegisteredClient,
): void {
  if (oidc.route !== "token") return;
  const retryAfterSeconds = limiter.blockedFor(client.clientId, client.editionCode);
  if (retryAfterSeconds !== undefined) throw tooManyTokens(retryAfterSeconds);
}

const tooManyTokens = (seconds: number) =>
  rateLimited(
    "The client asks for too many tokens. Use a token until it expires, and wait before the next request.",
    seconds,
  );

/** A 429 answer with `Retry-After`. */
export function rateLimited(description: string, retryAfterSeconds: number): OAuthError {
  return new OAuthError("RATE_LIMITED", "rate_limited", description, { status: 429, retryAfterSeconds });
}

/** The network address that limits count: for IPv6 the site. */
export const addressOf = ({ req }: KoaContextWithOIDC): string => clientNetworkOf(req);
