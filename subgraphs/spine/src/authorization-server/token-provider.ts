import { randomBytes } from "node:crypto";
import type { EventEmitter } from "node:events";
import { isDatabaseUnavailable } from "@factory/runtime/db/database-failure";
import type { Logger } from "@factory/runtime/telemetry/logger";
import Provider, { type Adapter, type Client, errors, type KoaContextWithOIDC } from "oidc-provider";
import { secretDigest, secretMatches } from "../api-clients/client-secret.js";
import { grantTypes } from "../api-clients/grant-types.js";
import { platformTenantId } from "../tenants/platform-tenant.js";
import type { FailureLimiter } from "./failure-limiter.js";
import type { RegisteredClient } from "./registered-clients.js";
import type { LoadedKey } from "./signing-keys.js";
import { TokenRefusal, tokenError } from "./token-refusal.js";

export const tokenPath = "/connect/token";

const serviceTokenSeconds = 900;
const agentTokenSeconds = 600;

export interface TokenProviderOptions {
  issuer: string;
  /** Newest first. */
  keys: readonly LoadedKey[];
  findClient: (clientId: string) => Promise<RegisteredClient | undefined>;
  failures: FailureLimiter;
  logger: Logger;
}

/** oidc-provider, serving the token endpoint only; what it does otherwise than we promise is bridged here. */
export function createTokenProvider(options: TokenProviderOptions): Provider {
  const { issuer, keys, failures } = options;
  const provider = new Provider(issuer, {
    adapter: () => clientAdapter(options),
    jwks: { keys: keys.map(({ privateJwk }) => privateJwk) },
    clientAuthMethods: ["client_secret_basic", "client_secret_post"],
    clientDefaults: { id_token_signed_response_alg: "ES256", response_types: [], grant_types: [] },
    extraClientMetadata: { properties: ["registered"], validator: () => undefined },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"] },
    // an Origin header is no reason to refuse; the answer carries no CORS header, so a browser's script cannot read it
    clientBasedCORS: () => true,
    responseTypes: [],
    scopes: ["openid"],
    routes: { token: tokenPath },
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
    ttl: { ClientCredentials: (_context, token) => token.resourceServer?.accessTokenTTL ?? agentTokenSeconds },
    extraTokenClaims: (_context, token) => tenantClaims(registeredOf(token.client)),
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
  shapeErrors(provider, options);
  return provider;
}

/** Stored are clients alone: access tokens are signed, not remembered, and nothing else is issued. */
function clientAdapter({ findClient }: TokenProviderOptions): Adapter {
  const unused = () => Promise.reject(new Error("The authorization server stores no such thing"));
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
  secretDigest: secretDigest(randomBytes(32).toString("hex")),
  scopes: [],
  grantTypes,
  principalType: "Service",
  platformAdmin: false,
  tenantId: platformTenantId,
  tenantSlug: "",
  tenantStatus: "Archived",
  editionCode: "",
};

function clientMetadata(registered: RegisteredClient) {
  return {
    client_id: registered.clientId,
    client_secret: registered.secretDigest,
    grant_types: registered.grantTypes.filter((grantType) => grantType === "client_credentials"),
    redirect_uris: [],
    token_endpoint_auth_method: "client_secret_basic",
    registered,
  } as const;
}

function registeredOf(client: Client | undefined): RegisteredClient {
  const registered = client?.["registered"];
  if (registered === undefined) throw new Error("The token belongs to no client");
  return registered as RegisteredClient;
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

/** The tenant's state, the scopes and the lifetime of a token; called once the client is authenticated. */
function tokenTerms(issuer: string, { oidc }: KoaContextWithOIDC, resource: string, client: Client) {
  if (resource.replace(/\/$/, "") !== issuer) throw new errors.InvalidTarget();
  const { scopes, principalType, tenantStatus } = registeredOf(client);
  if (tenantStatus !== "Active")
    throw new TokenRefusal("TENANT_SUSPENDED", "invalid_grant", "The client's tenant is not active.");
  const asked = oidc.params?.["scope"];
  if (typeof asked === "string") {
    const refused = asked.split(" ").filter((scope) => !scopes.includes(scope));
    if (refused.length > 0) throw new errors.InvalidScope("requested scope is not allowed", refused.join(" "));
  } else if (oidc.params) oidc.params["scope"] = scopes.join(" ") || undefined;
  return {
    scope: scopes.join(" "),
    audience: issuer,
    accessTokenFormat: "jwt" as const,
    accessTokenTTL: principalType === "Agent" ? agentTokenSeconds : serviceTokenSeconds,
    jwt: { sign: { alg: "ES256" as const } },
  };
}

function tenantClaims(client: RegisteredClient) {
  const { tenantId, tenantSlug, editionCode, principalType, platformAdmin } = client;
  const roles = platformAdmin ? ["PlatformAdmin"] : [];
  return { tenantId, tenantSlug, editionCode, principalType, roles, platformAdmin };
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
    await next();
    context.remove("access-control-allow-origin");
    context.remove("access-control-expose-headers");
    const failure: unknown = context.state["failure"];
    if (failure === undefined) return;
    const { status, body, headers } = tokenError(failure, issuer);
    context.status = status;
    context.set(headers);
    context.body = { ...body, traceId: context.res.getHeader("x-trace-id") };
  });
}
