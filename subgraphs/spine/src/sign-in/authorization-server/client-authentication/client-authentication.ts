import { type Client, errors, type KoaContextWithOIDC, type Provider } from "oidc-provider";
import type { AddressRateLimiter } from "../../../ground/request-limits/address-rate-limiter.js";
import type { Attempt, FailureLimiter } from "../../../ground/request-limits/failure-limiter.js";
import type { TokenRateLimiter } from "../../../ground/request-limits/token-rate-limiter.js";
import { secretMatches } from "../../../oauth-clients/client-secret.js";
import type { GrantType } from "../../../oauth-clients/grant-types.js";
import { currentContext } from "../oauth-requests/current-context.js";
import { type RegisteredClient, registeredClientOf } from "./registered-client.js";
import { addressOf, countTokenRequest, rateLimited } from "./token-quota.js";

/** The client lookup, and the limits on their requests and failures. */
export interface ClientAuthenticationOptions {
  findClient: (clientId: string) => Promise<RegisteredClient | undefined>;
  /** The token endpoint's grant types. A client may have more. */
  served: readonly GrantType[];
  failures: FailureLimiter;
  tokenLimiter: TokenRateLimiter;
  addresses: AddressRateLimiter;
}

/** Replaces oidc-provider's plain secret comparison: we store digests only, and limit wrong guesses. */
export function installSecretAuthentication(provider: Provider, options: ClientAuthenticationOptions): void {
  Object.defineProperty(provider.Client.prototype, "compareClientSecret", {
    value(this: Client, secret: string) {
      return compareSecret(this, secret, options);
    },
  });
}

/** A blocked caller learns nothing: the secret is not even compared. */
function compareSecret(client: Client, secret: string, options: ClientAuthenticationOptions): boolean {
  const { failures, tokenLimiter, addresses } = options;
  const context = currentContext();
  refuseBlocked(context, failures);
  const registeredClient = registeredClientOf(client);
  if (!secretMatches(secret, registeredClient.secretDigest)) {
    // counted here rather than by countFailedAuthentication: no other request runs between the check and the count
    failures.failed(attemptOf(context));
    context.state["counted"] = true;
    return false;
  }
  addresses.refundAuthenticated(context.req);
  countTokenRequest(tokenLimiter, context, registeredClient.clientId, registeredClient);
  return true;
}

/**
 * Called after oidc-provider. A wrong assertion, or a way to authenticate that is not the client's, counts as a failure
 * like a wrong secret.
 */
export function countFailedAuthentication(
  context: KoaContextWithOIDC,
  failure: unknown,
  failures: FailureLimiter,
): void {
  if (!(failure instanceof errors.InvalidClientAuth) || context.state["counted"] === true) return;
  if (context.state["presentedClientId"] !== undefined && authenticates(context)) failures.failed(attemptOf(context));
}

/** Throws `rate_limited` if the request tries to authenticate after too many failures. */
export function requireNotBlocked(context: KoaContextWithOIDC, failures: FailureLimiter): void {
  if (authenticates(context)) refuseBlocked(context, failures);
}

function refuseBlocked(context: KoaContextWithOIDC, failures: FailureLimiter): void {
  const retryAfterSeconds = failures.blockedFor(attemptOf(context));
  if (retryAfterSeconds !== undefined)
    throw rateLimited("Too many attempts of this client to authenticate failed. Try again later.", retryAfterSeconds);
}

/** Where clients authenticate. A browser at the sign-in pages may send its own Authorization header. */
const authenticatedRoutes = new Set(["token", "revocation", "introspection"]);

function authenticates({ oidc, headers }: KoaContextWithOIDC): boolean {
  if (!authenticatedRoutes.has(oidc.route)) return false;
  const { client_assertion: assertion, client_secret: secret } = oidc.params ?? {};
  return Boolean(assertion ?? secret ?? headers.authorization);
}

function attemptOf(context: KoaContextWithOIDC): Attempt {
  return { clientId: String(context.state["presentedClientId"]), address: addressOf(context) };
}
