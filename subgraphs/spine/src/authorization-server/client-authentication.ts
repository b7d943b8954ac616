import { randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { commitMarginMs } from "@factory/runtime/auth/revocations";
import { clientAddressOf } from "@factory/runtime/ingress/client-address";
import Provider, { type Adapter, type Client, type KoaContextWithOIDC } from "oidc-provider";
import { secretDigest, secretMatches } from "../api-clients/client-secret.js";
import { type GrantType, grantTypes } from "../api-clients/grant-types.js";
import { platformTenantId } from "../tenants/platform-tenant.js";
import type { FailureLimiter } from "./failure-limiter.js";
import { readsBegin } from "./reads-from.js";
import type { RegisteredClient } from "./registered-clients.js";
import type { TokenRate } from "./token-rate.js";
import { TokenRefusal } from "./token-refusal.js";
import { registeredOf } from "./token-terms.js";

export interface ClientAuthenticationOptions {
  findClient: (clientId: string) => Promise<RegisteredClient | undefined>;
  /** Grants that a client can use here; it may have more. */
  served: readonly GrantType[];
  failures: FailureLimiter;
  rate: TokenRate;
}

/** Replaces oidc-provider's comparison of plain secrets: ours are digests, and guesses are counted. */
export function authenticateByDigest(provider: Provider, options: ClientAuthenticationOptions): void {
  Object.defineProperty(provider.Client.prototype, "compareClientSecret", {
    value(this: Client, secret: string) {
      return compareSecret(this, secret, options);
    },
  });
}

export function clientAdapter({ findClient, served, rate }: ClientAuthenticationOptions): Adapter {
  const unused = () => Promise.reject(new Error("Clients are not stored by the authorization server"));
  return {
    async find(clientId) {
      const context = currentContext();
      context.state["presentedClientId"] = clientId;
      const registered = (await findClient(clientId)) ?? nobody;
      await untilSettled(registered);
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
async function untilSettled({ tokensFrom }: RegisteredClient): Promise<void> {
  const waitMs = tokensFrom + 2 * commitMarginMs - Date.now();
  if (waitMs <= 0) return;
  await setTimeout(waitMs);
  readsBegin();
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
  tokensFrom: 0,
  tenantId: platformTenantId,
  tenantSlug: "",
  tenantStatus: "Archived",
  editionCode: "",
};

function clientMetadata(registered: RegisteredClient, served: readonly GrantType[]) {
  const { clientId, secretDigest: digest, isPublic, redirectUris } = registered;
  const grants = registered.grantTypes.filter((grantType) => served.includes(grantType));
  return {
    client_id: clientId,
    ...(isPublic ? {} : { client_secret: digest }),
    grant_types: grants,
    response_types: grants.includes("authorization_code") ? ["code" as const] : [],
    redirect_uris: [...redirectUris],
    token_endpoint_auth_method: isPublic ? ("none" as const) : ("client_secret_basic" as const),
    registered,
  };
}

/** A blocked caller learns nothing: his secret is not even compared. */
function compareSecret(client: Client, secret: string, { failures, rate }: ClientAuthenticationOptions): boolean {
  const context = currentContext();
  const attempt = { clientId: String(context.state["presentedClientId"]), address: addressOf(context) };
  const retryAfterSeconds = failures.blockedFor(attempt);
  if (retryAfterSeconds !== undefined) throw tooMany("Too many failed attempts.", retryAfterSeconds);
  const registered = registeredOf(client);
  if (!secretMatches(secret, registered.secretDigest)) {
    failures.failed(attempt);
    return false;
  }
  spend(rate, context, registered.clientId, registered);
  return true;
}

function spend(rate: TokenRate, { oidc }: KoaContextWithOIDC, key: string, { editionCode }: RegisteredClient): void {
  if (oidc.route !== "token") return;
  const retryAfterSeconds = rate.spend(key, editionCode);
  if (retryAfterSeconds !== undefined) throw tooMany("The client asks for too many tokens.", retryAfterSeconds);
}

function tooMany(description: string, retryAfterSeconds: number): TokenRefusal {
  return new TokenRefusal("RATE_LIMITED", "rate_limited", description, { status: 429, retryAfterSeconds });
}

function currentContext(): KoaContextWithOIDC {
  const context = Provider.ctx;
  if (!context) throw new Error("Called outside of a request to the authorization server");
  return context;
}

const addressOf = ({ req }: KoaContextWithOIDC) => clientAddressOf(req);
