import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { commitMarginMs } from "@factory/runtime/auth/revocations";
import { clientNetworkOf } from "@factory/runtime/ingress/client-address";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type Adapter, type Client, errors, type KoaContextWithOIDC, type Provider } from "oidc-provider";
import { secretDigest, secretMatches } from "../../oauth-clients/client-secret.js";
import { type GrantType, grantTypes } from "../../oauth-clients/grant-types.js";
import type { AddressRateLimiter } from "../../request-limits/address-rate-limiter.js";
import type { Attempt, FailureLimiter } from "../../request-limits/failure-limiter.js";
import type { TokenRateLimiter } from "../../request-limits/token-rate-limiter.js";
import { currentContext } from "../oauth-requests/current-context.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";
import { markReadStart } from "../oauth-requests/read-time.js";
import { type RegisteredClient, registeredClientOf } from "./registered-client.js";

export interface ClientAuthenticationOptions {
  findClient: (clientId: string) => Promise<RegisteredClient | undefined>;
  /** Grants that a client can use here; it may have more. */
  served: readonly GrantType[];
  failures: FailureLimiter;
  rate: TokenRateLimiter;
  addresses: AddressRateLimiter;
}

/** Replaces oidc-provider's comparison of plain secrets: ours are digests, and guesses are counted. */
export function installSecretAuthentication(provider: Provider, options: ClientAuthenticationOptions): void {
  Object.defineProperty(provider.Client.prototype, "compareClientSecret", {
    value(this: Client, secret: string) {
      return compareSecret(this, secret, options);
    },
  });
}

export function clientAdapter({ findClient, served, failures, rate }: ClientAuthenticationOptions): Adapter {
  const unused = () => Promise.reject(new Error("Clients are not stored by the authorization server"));
  return {
    async find(clientId) {
      const context = currentContext();
      context.state["presentedClientId"] = clientId;
      if (isProofGiven(context)) refuseBlocked(context, failures);
      const registered = (await findClient(clientId)) ?? nobody;
      await waitUntilDistinguishable(registered);
      // anybody may name a public client, so nobody uses up its requests for others
      if (registered.isPublic) spend(rate, context, `${registered.clientId} ${addressOf(context)}`, registered);
      return clientMetadata(registered, served);
    },
    upsert: unused,
    findByUserCode: unused,
    findByUid: unused,
    consume: unused,
    destroy: unused,
    revokeByGrantId: unused,
  };
}

/** Enabled again, it gets no token that verifiers would take for one of before it was disabled. */
async function waitUntilDistinguishable({ tokensFrom }: RegisteredClient): Promise<void> {
  const waitMs = tokensFrom + 2 * commitMarginMs - Date.now();
  if (waitMs <= 0) return;
  await setTimeout(waitMs);
  markReadStart();
}

/** Stands for every unknown client, so that it takes the same path as a wrong secret; no secret matches it. */
const nobody: RegisteredClient = {
  clientId: "unknown",
  name: "",
  secretDigest: secretDigest(randomBytes(32).toString("hex")),
  scopes: [],
  grantTypes,
  principalType: "Service",
  platformAdmin: false,
  // no sign-in returns there: nobody learns it
  redirectUris: [`https://${randomBytes(16).toString("hex")}.invalid/`],
  firstParty: false,
  isPublic: false,
  jwks: null,
  tokensFrom: 0,
  tenantId: platformTenantId,
  tenantSlug: "",
  tenantStatus: "Archived",
  editionCode: "",
};

function clientMetadata(registered: RegisteredClient, served: readonly GrantType[]) {
  const { clientId, redirectUris } = registered;
  const grants = registered.grantTypes.filter((grantType) => served.includes(grantType));
  return {
    client_id: clientId,
    grant_types: grants,
    response_types: grants.includes("authorization_code") ? ["code" as const] : [],
    redirect_uris: [...redirectUris],
    ...proofMetadata(registered),
    registered,
  };
}

/** How the client proves who it is; it has one way to. */
function proofMetadata({ isPublic, jwks, secretDigest: digest }: RegisteredClient) {
  if (isPublic) return { token_endpoint_auth_method: "none" as const };
  if (jwks) return { token_endpoint_auth_method: "private_key_jwt" as const, jwks: { keys: [...jwks.keys] } };
  return { token_endpoint_auth_method: "client_secret_basic" as const, client_secret: digest };
}

/** A blocked caller learns nothing: his secret is not even compared. */
function compareSecret(client: Client, secret: string, options: ClientAuthenticationOptions): boolean {
  const { failures, rate, addresses } = options;
  const context = currentContext();
  refuseBlocked(context, failures);
  const registered = registeredClientOf(client);
  if (!secretMatches(secret, registered.secretDigest)) {
    // here and not by countFailedAuthentication: between asking and counting nobody else comes
    failures.failed(attemptOf(context));
    context.state["counted"] = true;
    return false;
  }
  addresses.proven(context.req);
  spend(rate, context, registered.clientId, registered);
  return true;
}

/** After oidc-provider: a bad assertion, or a proof of another kind than the client's, is a failure like a wrong secret. */
export function countFailedAuthentication(
  context: KoaContextWithOIDC,
  failure: unknown,
  failures: FailureLimiter,
): void {
  if (!(failure instanceof errors.InvalidClientAuth) || context.state["counted"] === true) return;
  if (context.state["presentedClientId"] !== undefined && isProofGiven(context)) failures.failed(attemptOf(context));
}

function refuseBlocked(context: KoaContextWithOIDC, failures: FailureLimiter): void {
  const retryAfterSeconds = failures.blockedFor(attemptOf(context));
  if (retryAfterSeconds !== undefined) throw tooMany("Too many failed attempts.", retryAfterSeconds);
}

/** Where clients authenticate; a browser at the sign-in pages may send an Authorization header of its own. */
const provenRoutes = new Set(["token", "revocation", "introspection"]);

function isProofGiven({ oidc, headers }: KoaContextWithOIDC): boolean {
  if (!provenRoutes.has(oidc.route)) return false;
  const { client_assertion: assertion, client_secret: secret } = oidc.params ?? {};
  return Boolean(assertion ?? secret ?? headers.authorization);
}

function attemptOf(context: KoaContextWithOIDC): Attempt {
  return { clientId: String(context.state["presentedClientId"]), address: addressOf(context) };
}

/** Of what the client may ask for in a minute. */
export function spend(
  rate: TokenRateLimiter,
  { oidc }: KoaContextWithOIDC,
  key: string,
  { editionCode }: RegisteredClient,
): void {
  if (oidc.route !== "token") return;
  const retryAfterSeconds = rate.spend(key, editionCode);
  if (retryAfterSeconds !== undefined) throw tooManyTokens(retryAfterSeconds);
}

/** Before a request that would be one too many leaves a row behind; counts nothing. */
export function requireTokenQuota(
  rate: TokenRateLimiter,
  { oidc }: KoaContextWithOIDC,
  client: RegisteredClient,
): void {
  if (oidc.route !== "token") return;
  const retryAfterSeconds = rate.blockedFor(client.clientId, client.editionCode);
  if (retryAfterSeconds !== undefined) throw tooManyTokens(retryAfterSeconds);
}

const tooManyTokens = (seconds: number) => tooMany("The client asks for too many tokens.", seconds);

function tooMany(description: string, retryAfterSeconds: number): OAuthError {
  return new OAuthError("RATE_LIMITED", "rate_limited", description, { status: 429, retryAfterSeconds });
}

const addressOf = ({ req }: KoaContextWithOIDC) => clientNetworkOf(req);
