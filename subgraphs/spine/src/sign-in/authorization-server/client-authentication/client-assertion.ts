import { errors, type Provider } from "oidc-provider";
import type { AddressRateLimiter } from "../../../ground/request-limits/address-rate-limiter.js";
import type { TokenRateLimiter } from "../../../ground/request-limits/token-rate-limiter.js";
import { currentContext } from "../oauth-requests/current-context.js";
import { registeredClientOf } from "./registered-client.js";
import { countTokenRequest, requireTokenQuota } from "./token-quota.js";

/** How far a client's clock may be from ours. */
export const clockToleranceSeconds = 15;
const maxLifetimeSeconds = 300;
/** An assertion is remembered for this time beyond its end, since the database's clock may differ. */
const rememberedSeconds = 60;

interface ClientAssertionOptions {
  issuer: string;
  tokenEndpoint: string;
  /** Remembers what may be used once. True for the first use only, also among several uses at the same time. */
  adapter: { takeOnce(kind: string, id: string, expiresAtSeconds: number): Promise<boolean> };
  tokenLimiter: TokenRateLimiter;
  addresses: AddressRateLimiter;
}

/** `private_key_jwt` (OpenID Connect Core 1.0 section 9), with stricter rules than oidc-provider's. */
export function installAssertionAuthentication(provider: Provider, options: ClientAssertionOptions): void {
  const { issuer, tokenEndpoint, adapter, tokenLimiter, addresses } = options;
  // oidc-provider takes the endpoint's address from the Host header, which the caller chooses
  Object.defineProperty(provider.OIDCContext.prototype, "clientJwtAuthExpectedAudience", {
    value: () => new Set([issuer, tokenEndpoint]),
  });
  // oidc-provider looks first and stores afterwards, so two uses at the same time would both be the first
  Object.defineProperty(provider.ReplayDetection, "unique", {
    async value(clientId: string, assertionId: string, expiresAt: number): Promise<boolean> {
      const context = currentContext();
      const client = registeredClientOf(context.oidc.client);
      requireTokenQuota(tokenLimiter, context, client);
      const id = JSON.stringify([clientId, assertionId]);
      // `expiresAt` already includes the clock tolerance
      if (!(await adapter.takeOnce("ReplayDetection", id, expiresAt + rememberedSeconds))) return false;
      addresses.refundAuthenticated(context.req);
      countTokenRequest(tokenLimiter, context, client.clientId, client);
      return true;
    },
  });
}

/**
 * Refuses an assertion for several audiences, from the future, or with a lifetime over 5 minutes. Called after
 * oidc-provider has verified the signature, that exp is present, and that exp, iat and nbf are numbers.
 */
export function requireShortLifetime(claims: Record<string, unknown>, nowSeconds = Date.now() / 1000): void {
  const { aud, exp, iat } = claims;
  // draft-ietf-oauth-rfc7523bis section 4: another audience could present the assertion here
  if (Array.isArray(aud) && aud.length !== 1)
    throw new errors.InvalidClientAuth("The assertion has several audiences. Name the issuer only.");
  const latest = nowSeconds + clockToleranceSeconds;
  const issuedAt = typeof iat === "number" ? iat : Math.floor(nowSeconds);
  if (issuedAt > latest) throw new errors.InvalidClientAuth("The assertion was issued in the future.");
  if (Number(exp) > latest + maxLifetimeSeconds || Number(exp) - issuedAt > maxLifetimeSeconds + clockToleranceSeconds)
    throw new errors.InvalidClientAuth(`The assertion is valid for more than ${maxLifetimeSeconds} seconds.`);
}
