import { randomBytes } from "node:crypto";
import type { EventEmitter } from "node:events";
import { isDatabaseUnavailable } from "@factory/runtime/db/database-failure";
import type { Logger } from "@factory/runtime/telemetry/logger";
import Provider, { type Adapter, type Client, errors, type FindAccount, type KoaContextWithOIDC } from "oidc-provider";
import { secretDigest, secretMatches } from "../api-clients/client-secret.js";
import { type GrantType, grantTypes, tokenExchange } from "../api-clients/grant-types.js";
import { redirectUriAllowed } from "../api-clients/redirect-uri.js";
import type { ApprovalRequests } from "../approvals/approval-request.js";
import { platformTenantId } from "../tenants/platform-tenant.js";
import { type Accounts, refusalOf } from "./accounts.js";
import type { ArtifactStore } from "./artifact-store.js";
import { authorizeLifetimes, authorizePath, authorizeSettings } from "./authorize-settings.js";
import type { ConsentMemory } from "./consent-memory.js";
import type { FailureLimiter } from "./failure-limiter.js";
import type { GrantFamilies } from "./grant-families.js";
import { registerPasswordGrant } from "./password-grant.js";
import type { PasswordSignIn } from "./password-sign-in.js";
import type { RegisteredClient } from "./registered-clients.js";
import { renderError } from "./render-error.js";
import type { LoadedKey } from "./signing-keys.js";
import type { SubjectTokens } from "./subject-token.js";
import { delegatedClaims, registerTokenExchange } from "./token-exchange.js";
import { TokenRefusal, tokenError } from "./token-refusal.js";
import { registeredOf, requireSomeScope, signedInAccount, tenantClaims, tokenTerms } from "./token-terms.js";

export const tokenPath = "/connect/token";

/** What the token endpoint serves; discovery lists it, and a client may have more. */
export const servedGrantTypes: readonly GrantType[] = [
  "client_credentials",
  "authorization_code",
  "password",
  "refresh_token",
  tokenExchange,
];

const dayS = 86_400;
const refreshIdleSeconds = 14 * dayS;
const refreshAbsoluteSeconds = 30 * dayS;

export interface TokenProviderOptions {
  issuer: string;
  /** The one that signs first. */
  keys: readonly LoadedKey[];
  findClient: (clientId: string) => Promise<RegisteredClient | undefined>;
  accounts: Accounts;
  artifacts: ArtifactStore;
  families: GrantFamilies;
  passwords: PasswordSignIn;
  subjects: SubjectTokens;
  approvals: ApprovalRequests;
  failures: FailureLimiter;
  /** Signs cookies. */
  cookieKey: Buffer;
  consents: ConsentMemory;
  logger: Logger;
}

/** oidc-provider behind our router; what it does otherwise than we promise is bridged here. */
export function createTokenProvider(options: TokenProviderOptions): Provider {
  const { issuer, keys, failures, artifacts } = options;
  const provider = new Provider(issuer, {
    adapter: (kind) => (kind === "Client" ? clientAdapter(options) : artifacts.adapter(kind)),
    jwks: { keys: keys.map(({ privateJwk }) => privateJwk) },
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "none"],
    clientDefaults: { id_token_signed_response_alg: "ES256", response_types: [], grant_types: [] },
    extraClientMetadata: { properties: ["registered"], validator: () => undefined },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    // an Origin header is no reason to refuse; the answer carries no CORS header, so a browser's script cannot read it
    clientBasedCORS: () => true,
    ...authorizeSettings(options),
    renderError,
    scopes: ["openid"],
    routes: { token: tokenPath, authorization: authorizePath },
    findAccount: accountFinder(options),
    rotateRefreshToken: true,
    issueRefreshToken: (_context, client) => client.grantTypeAllowed("refresh_token"),
    expiresWithSession: () => false,
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => issuer,
        getResourceServerInfo: (context, resource, client) => tokenTerms(issuer, context, resource, client),
      },
    },
    ttl: {
      ...authorizeLifetimes,
      ClientCredentials: (_context, token) => tokenSeconds(token.resourceServer),
      AccessToken: (_context, token) => tokenSeconds(token.resourceServer),
      Grant: refreshAbsoluteSeconds,
      RefreshToken: (_context, token) => {
        const { iiat } = token as { iiat?: number };
        const age = iiat === undefined ? 0 : Math.floor(Date.now() / 1000) - iiat;
        return Math.max(1, Math.min(refreshIdleSeconds, refreshAbsoluteSeconds - age));
      },
    },
    extraTokenClaims: (context, token) =>
      delegatedClaims(token) ??
      tenantClaims(context, registeredOf(token.client), "grantId" in token ? token.grantId : undefined),
    formats: {
      customizers: {
        jwt(_context, _token, { payload }) {
          const issuedAt = Number(payload["iat"]);
          payload["nbf"] = issuedAt;
          payload["issuedAtMs"] = Math.min(Date.now(), issuedAt * 1000 + 999);
        },
      },
    },
  });
  Object.defineProperty(provider.Client.prototype, "compareClientSecret", {
    value(this: Client, secret: string) {
      return compareSecret(this, secret, failures);
    },
  });
  Object.defineProperty(provider.Client.prototype, "redirectUriAllowed", {
    value(this: Client, uri: string) {
      return redirectUriAllowed(uri, registeredOf(this).redirectUris);
    },
  });
  // the router says what the request came by
  provider.proxy = true;
  registerPasswordGrant(provider, options);
  registerTokenExchange(provider, options);
  shapeErrors(provider, options);
  return provider;
}

/** Every token has its terms; the configuration only asks in this form. */
function tokenSeconds(terms: { accessTokenTTL?: number | undefined } | undefined): number {
  if (terms?.accessTokenTTL === undefined) throw new Error("The token has no terms");
  return terms.accessTokenTTL;
}

/** Users as oidc-provider meets them, again at every refresh: his state, his roles and his tenant's are those of now. */
function accountFinder({ accounts, families }: TokenProviderOptions): FindAccount {
  return async (context, userId, token) => {
    const client = registeredOf(context.oidc.client);
    const user = await accounts.byId(userId);
    const refusal = refusalOf(user, client);
    if (refusal || !user) {
      if (!token) return undefined;
      if ("grantId" in token && token.grantId) await families.revoke(token.grantId, "Silent");
      throw refusal;
    }
    const access = await accounts.access(user, client);
    if (token?.kind === "RefreshToken") {
      if (token.consumed) {
        if (token.grantId) await families.revoke(token.grantId, "RefreshTokenReuseDetected");
        throw new errors.InvalidGrant("refresh token already used");
      }
      // before it is consumed: who asks for too little may ask again
      const asked = context.oidc.params?.["scope"];
      requireSomeScope((typeof asked === "string" ? asked : (token.scope ?? "")).split(" "), access);
    }
    return signedInAccount(user, access);
  };
}

function clientAdapter({ findClient }: TokenProviderOptions): Adapter {
  const unused = () => Promise.reject(new Error("Clients are not stored by the authorization server"));
  return {
    async find(clientId) {
      const { state } = currentContext();
      state["presentedClientId"] = clientId;
      return clientMetadata((await findClient(clientId)) ?? nobody);
    },
    upsert: unused,
    findByUserCode: unused,
    findByUid: unused,
    consume: unused,
    destroy: unused,
    revokeByGrantId: unused,
  };
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
  tenantId: platformTenantId,
  tenantSlug: "",
  tenantStatus: "Archived",
  editionCode: "",
};

function clientMetadata(registered: RegisteredClient) {
  const { clientId, secretDigest: digest, isPublic, redirectUris } = registered;
  const grants = registered.grantTypes.filter((grantType) => servedGrantTypes.includes(grantType));
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
function compareSecret(client: Client, secret: string, failures: FailureLimiter): boolean {
  const { state, req } = currentContext();
  const attempt = { clientId: String(state["presentedClientId"]), address: req.socket.remoteAddress ?? "" };
  const retryAfterSeconds = failures.blockedFor(attempt);
  if (retryAfterSeconds !== undefined)
    throw new TokenRefusal("RATE_LIMITED", "rate_limited", "Too many failed attempts.", {
      status: 429,
      retryAfterSeconds,
    });
  const { secretDigest: digest } = registeredOf(client);
  if (secretMatches(secret, digest)) return true;
  failures.failed(attempt);
  return false;
}

function currentContext(): KoaContextWithOIDC {
  const context = Provider.ctx;
  if (!context) throw new Error("Called outside of a request to the authorization server");
  return context;
}

function shapeErrors(provider: Provider, { issuer, logger }: TokenProviderOptions): void {
  const remember = (context: KoaContextWithOIDC, error: unknown) => {
    context.state["failure"] = error;
  };
  provider.on("grant.error", remember);
  provider.on("server_error", (context, error) => {
    remember(context, error);
    if (isDatabaseUnavailable(error)) logger.warn({ error: error.message }, "token request failed: no database");
    else logger.error({ err: error }, "token request failed");
  });
  const application: EventEmitter = provider;
  application.on("error", (error) => logger.error({ err: error }, "authorization server"));
  provider.use(async (context, next) => {
    // by the router, for an origin of the list; oidc-provider itself would let everybody read
    const shared = context.res.hasHeader("access-control-allow-origin");
    await next();
    if (!shared) {
      context.remove("access-control-allow-origin");
      context.remove("access-control-expose-headers");
    }
    const failure: unknown = context.state["failure"];
    // what people see is a page
    if (failure === undefined || context.path.startsWith(authorizePath)) return;
    const { status, body, headers } = tokenError(failure, issuer);
    context.status = status;
    context.set(headers);
    context.body = { ...body, traceId: context.res.getHeader("x-trace-id") };
  });
}
