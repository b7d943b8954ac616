import { errors, type Provider } from "oidc-provider";
import type { AddressRateLimiter } from "../../request-limits/address-rate-limiter.js";
import type { TokenRateLimiter } from "../../request-limits/token-rate-limiter.js";
import { currentContext } from "../oauth-requests/current-context.js";
import { requireTokenQuota, spend } from "./client-authentication.js";
import { registeredClientOf } from "./registered-client.js";

/** Between a client's clock and ours. */
export const clockToleranceSeconds = 15;
const maxLifetimeSeconds = 300;
/** Longer than an assertion is good: the database's clock is another one. */
const rememberedSeconds = 60;

export interface ClientAssertionOptions {
  issuer: string;
  tokenEndpoint: string;
  /** Remembers what may be used once. True for the first use; two uses at the same time do not both get true. */
  artifacts: { takeOnce(kind: string, id: string, expiresAtSeconds: number): Promise<boolean> };
  rate: TokenRateLimiter;
  addresses: AddressRateLimiter;
}

/** `private_key_jwt` (OpenID Connect Core section 9), where oidc-provider's own rules are wider than ours. */
export function installAssertionAuthentication(provider: Provider, options: ClientAssertionOptions): void {
  const { issuer, tokenEndpoint, artifacts, rate, addresses } = options;
  // oidc-provider takes the endpoint's address from the Host header, which the caller chooses
  Object.defineProperty(provider.OIDCContext.prototype, "clientJwtAuthExpectedAudience", {
    value: () => new Set([issuer, tokenEndpoint]),
  });
  // oidc-provider looks first and stores then, so two at the same time would both be the first
  Object.defineProperty(provider.ReplayDetection, "unique", {
    async value(clientId: string, assertionId: string, expiresAt: number): Promise<boolean> {
      const context = currentContext();
      const registered = registeredClientOf(context.oidc.client);
      requireTokenQuota(rate, context, registered);
      const id = JSON.stringify([clientId, assertionId]);
      // `expiresAt` is the assertion's own end and the tolerance
      if (!(await artifacts.takeOnce("ReplayDetection", id, expiresAt + rememberedSeconds))) return false;
      addresses.proven(context.req);
      spend(rate, context, registered.clientId, registered);
      return true;
    },
  });
}

/** After oidc-provider has verified the signature and that exp, iat and nbf are numbers, of which exp alone must be there. */
export function requireShortLifetime(claims: Record<string, unknown>, nowSeconds = Date.now() / 1000): void {
  const { aud, exp, iat } = claims;
  // draft-ietf-oauth-rfc7523bis section 4: what is for others too, they could present here
  if (Array.isArray(aud) && aud.length !== 1) throw new errors.InvalidClientAuth("the assertion is for others too");
  const latest = nowSeconds + clockToleranceSeconds;
  const issuedAt = typeof iat === "number" ? iat : Math.floor(nowSeconds);
  if (issuedAt > latest) throw new errors.InvalidClientAuth("the assertion was issued in the future");
  if (Number(exp) > latest + maxLifetimeSeconds || Number(exp) - issuedAt > maxLifetimeSeconds + clockToleranceSeconds)
    throw new errors.InvalidClientAuth("the assertion is good for too long");
}
