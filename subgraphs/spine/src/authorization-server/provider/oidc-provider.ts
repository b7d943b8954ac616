import type { EventEmitter } from "node:events";
import { commitMarginMs } from "@factory/runtime/auth/revocations";
import { isDatabaseUnavailable } from "@factory/runtime/errors/database-failure";
import type { Keyring } from "@factory/runtime/sealing/master-keys";
import type { Logger } from "@factory/runtime/telemetry/logger";
import Provider, { type Client, errors, type FindAccount, type KoaContextWithOIDC } from "oidc-provider";
import type { ApprovalRequests } from "../../approvals/approval-request.js";
import { type GrantType, tokenExchange } from "../../oauth-clients/grant-types.js";
import { keyAlgorithms } from "../../oauth-clients/public-keys.js";
import { redirectUriAllowed } from "../../oauth-clients/redirect-uri.js";
import type { LoadedKey } from "../../signing-keys/signing-key-store.js";
import type { PasswordSignIn } from "../accounts/password-sign-in.js";
import { accountError, type UserAccounts } from "../accounts/user-accounts.js";
import {
  clockToleranceSeconds,
  installAssertionAuthentication,
  requireShortLifetime,
} from "../client-authentication/client-assertion.js";
import {
  type ClientAuthenticationOptions,
  clientAdapter,
  countFailedAuthentication,
  installSecretAuthentication,
} from "../client-authentication/client-authentication.js";
import { type RegisteredClient, registeredClientOf } from "../client-authentication/registered-client.js";
import { registerPasswordGrant } from "../grants/password-grant.js";
import type { SubjectTokenVerifier } from "../grants/subject-token.js";
import { exchangedTokenClaims, registerTokenExchange } from "../grants/token-exchange.js";
import { OAuthError, oauthErrorResponse } from "../oauth-requests/oauth-error.js";
import { markReadStart, readStartMs } from "../oauth-requests/read-time.js";
import { authorizeLifetimes, authorizePath, authorizeSettings } from "../sign-in/authorize-settings.js";
import { storeConsentTerms } from "../sign-in/consent-terms.js";
import type { RememberedConsents } from "../sign-in/remembered-consents.js";
import { renderError } from "../sign-in/render-error.js";
import type { ClientRoles } from "../tokens/client-roles.js";
import { grantsOpenid, listOpenid, withOpenid } from "../tokens/openid-scope.js";
import {
  createSignedInAccount,
  requireSomeScope,
  resourceServerInfo,
  tenantClaims,
} from "../tokens/resource-server.js";
import type { TokenFamilies } from "../tokens/token-families.js";
import { introspectionPath, revocationPath, type TokenIntrospection } from "../tokens/token-introspection.js";
import type { OidcAdapter } from "./oidc-adapter.js";

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

export interface OidcProviderOptions extends Omit<ClientAuthenticationOptions, "served"> {
  issuer: string;
  /** The one that signs first. */
  keys: readonly LoadedKey[];
  accounts: UserAccounts;
  artifacts: OidcAdapter;
  families: TokenFamilies;
  passwords: PasswordSignIn;
  subjects: SubjectTokenVerifier;
  approvals: ApprovalRequests;
  /** Signs cookies. */
  cookieKeys: Keyring;
  consents: RememberedConsents;
  inspection: TokenIntrospection;
  clientRoles: ClientRoles;
  logger: Logger;
}

/** oidc-provider behind our router; what it does otherwise than we promise is bridged here. */
export function createOidcProvider(options: OidcProviderOptions): Provider {
  const { issuer, keys, artifacts, inspection, clientRoles } = options;
  const clients = { ...options, served: servedGrantTypes };
  const provider = new Provider(issuer, {
    adapter: (kind) => (kind === "Client" ? clientAdapter(clients) : artifacts.adapter(kind)),
    jwks: { keys: keys.map(({ privateJwk }) => privateJwk) },
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
    clientDefaults: { id_token_signed_response_alg: "ES256", response_types: [], grant_types: [] },
    extraClientMetadata: { properties: ["registered"], validator: () => undefined },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"], clientAuthSigningAlgValues: keyAlgorithms },
    clockTolerance: clockToleranceSeconds,
    assertJwtClientAuthClaimsAndHeader: (_context, claims) => requireShortLifetime(claims),
    // an Origin header is no reason to refuse; the answer carries no CORS header, so a browser's script cannot read it
    clientBasedCORS: () => true,
    ...authorizeSettings(options),
    renderError,
    scopes: ["openid"],
    routes: {
      authorization: authorizePath,
      token: tokenPath,
      revocation: revocationPath,
      introspection: introspectionPath,
    },
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
      ...inspection.features(),
      resourceIndicators: {
        enabled: true,
        defaultResource: () => issuer,
        getResourceServerInfo: (context, resource, client) => resourceServerInfo(issuer, context, resource, client),
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
      exchangedTokenClaims(token) ??
      tenantClaims(context, registeredClientOf(token.client), {
        grantId: "grantId" in token ? token.grantId : undefined,
        rolesOf: (client) => clientRoles.of(client),
      }),
    formats: {
      customizers: {
        jwt(context, _token, { payload }) {
          const issuedAt = Number(payload["iat"]);
          payload["nbf"] = issuedAt;
          if (grantsOpenid(context)) payload["scope"] = withOpenid(payload["scope"]);
          payload["issuedAtMs"] = Math.min(readStartMs(context), issuedAt * 1000 + 999);
        },
      },
    },
  });
  installSecretAuthentication(provider, clients);
  installAssertionAuthentication(provider, { ...clients, tokenEndpoint: `${issuer}${tokenPath}` });
  Object.defineProperty(provider.Client.prototype, "redirectUriAllowed", {
    value(this: Client, uri: string) {
      return redirectUriAllowed(uri, registeredClientOf(this).redirectUris);
    },
  });
  storeConsentTerms(provider);
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

/** Who was disabled begins anew: nothing that was given before comes back to life when he, or the client, is enabled. */
function refusalOfEarlier(
  token: { iat?: number | undefined; iiat?: number | undefined } | undefined,
  ...given: readonly (Pick<RegisteredClient, "tokensFrom"> | undefined)[]
) {
  const issuedAt = token?.iiat ?? token?.iat;
  const earlier = issuedAt !== undefined && given.some((to) => to && issuedAt * 1000 < to.tokensFrom + commitMarginMs);
  return earlier ? new OAuthError("VALIDATION_FAILED", "invalid_grant", "grant request is invalid") : undefined;
}

/** Users as oidc-provider meets them, again at every refresh: his state, his roles and his tenant's are those of now. */
function accountFinder({ accounts, families }: OidcProviderOptions): FindAccount {
  return async (context, userId, token) => {
    const client = registeredClientOf(context.oidc.client);
    const user = await accounts.byId(userId);
    const refusal = accountError(user, client) ?? refusalOfEarlier(token, client, user);
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
    return createSignedInAccount(user, access, token && "authTime" in token ? token.authTime : undefined);
  };
}

function shapeErrors(provider: Provider, { issuer, inspection, failures, logger }: OidcProviderOptions): void {
  const remember = (context: KoaContextWithOIDC, error: unknown) => {
    context.state["failure"] = error;
  };
  provider.on("grant.error", remember);
  provider.on("revocation.error", remember);
  provider.on("introspection.error", remember);
  provider.on("server_error", (context, error) => {
    remember(context, error);
    if (isDatabaseUnavailable(error)) logger.warn({ error: error.message }, "token request failed: no database");
    else logger.error({ err: error }, "token request failed");
  });
  const application: EventEmitter = provider;
  application.on("error", (error) => logger.error({ err: error }, "authorization server"));
  provider.use(async (context, next) => {
    markReadStart(context as KoaContextWithOIDC);
    // by the router, for an origin of the list; oidc-provider itself would let everybody read
    const shared = context.res.hasHeader("access-control-allow-origin");
    await next();
    if (!shared) {
      context.remove("access-control-allow-origin");
      context.remove("access-control-expose-headers");
    }
    // what people see is a page
    if (context.path.startsWith(authorizePath)) return;
    countFailedAuthentication(context as KoaContextWithOIDC, context.state["failure"], failures);
    const failure = await inspection.answerFor(context as KoaContextWithOIDC, context.state["failure"]);
    if (failure === undefined) return listOpenid(context as KoaContextWithOIDC);
    const { status, body, headers } = oauthErrorResponse(failure, issuer);
    context.status = status;
    context.set(headers);
    context.body = { ...body, traceId: context.res.getHeader("x-trace-id") };
  });
}
