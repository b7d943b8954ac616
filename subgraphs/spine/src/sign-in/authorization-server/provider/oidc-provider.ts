import type { EventEmitter } from "node:events";
import { isDatabaseUnavailable } from "@factory/runtime/errors/database-failure";
import type { RefusalSink } from "@factory/runtime/messages/refusal";
import type { Keyring } from "@factory/runtime/sealing/master-keys";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { identityScopes } from "@factory/schema/scopes";
import Provider, { type Client, type KoaContextWithOIDC } from "oidc-provider";
import type { ApprovalRequests } from "../../../approvals/approval-request.js";
import type { PublishApprovals } from "../../../approvals/publish-approvals.js";
import { type GrantType, passwordGrantType, tokenExchange } from "../../../oauth-clients/grant-types.js";
import { keyAlgorithms } from "../../../oauth-clients/public-keys.js";
import { redirectUriAllowed } from "../../../oauth-clients/redirect-uri.js";
import type { SecondFactors } from "../../second-factors/second-factors.js";
import type { LoadedKey } from "../../signing-keys/signing-key-store.js";
import type { PasswordSignIn } from "../accounts/password-sign-in.js";
import type { SignInRecords } from "../accounts/sign-in-records.js";
import { keepSignInVersions, versionOfSession, versionsOfGrant } from "../accounts/stored-versions.js";
import type { UserAccounts } from "../accounts/user-accounts.js";
import { clientAdapter } from "../client-authentication/client-adapter.js";
import {
  clockToleranceSeconds,
  installAssertionAuthentication,
  requireShortLifetime,
} from "../client-authentication/client-assertion.js";
import {
  type ClientAuthenticationOptions,
  countFailedAuthentication,
  installSecretAuthentication,
} from "../client-authentication/client-authentication.js";
import { registeredClientOf } from "../client-authentication/registered-client.js";
import { registerPasswordGrant } from "../grants/password-grant.js";
import type { SubjectTokenVerifier } from "../grants/subject-token.js";
import { exchangedTokenClaims, registerTokenExchange } from "../grants/token-exchange.js";
import { oauthErrorResponse } from "../oauth-requests/oauth-error.js";
import { authorizeLifetimes, authorizePath, authorizeSettings } from "../sign-in/authorize-settings.js";
import { termsOfGrant } from "../sign-in/consent-terms.js";
import type { RememberedConsents } from "../sign-in/remembered-consents.js";
import { renderError } from "../sign-in/render-error.js";
import type { ClientRoles } from "../tokens/client-roles.js";
import { grantedIdentityScopes, listIdentityScopes, withIdentity } from "../tokens/identity-scopes.js";
import { chosenSuccessor } from "../tokens/refresh-successor.js";
import type { PlatformResourceServer } from "../tokens/resource-server.js";
import { refreshTokenRevocation, revocationPath } from "../tokens/revoke-token.js";
import { signedInAccountOf } from "../tokens/signed-in-account.js";
import type { SignedTokenRequests } from "../tokens/signed-token-requests.js";
import { tenantClaims } from "../tokens/token-claims.js";
import type { TokenFamilies } from "../tokens/token-families.js";
import { introspectionPath, type TokenIntrospection } from "../tokens/token-introspection.js";
import { accountFinder } from "./account-finder.js";
import type { OidcAdapter } from "./oidc-adapter.js";
import { noteTokenRefusal } from "./token-refusal.js";

/** The token endpoint (RFC 6749 section 3.2). */
export const tokenPath = "/connect/token";

/** The token endpoint's grant types. The discovery document lists them. */
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

interface OidcProviderOptions extends Omit<ClientAuthenticationOptions, "served"> {
  issuer: string;
  /** The key that signs comes first. */
  keys: readonly LoadedKey[];
  accounts: UserAccounts;
  adapter: OidcAdapter;
  families: TokenFamilies;
  passwords: PasswordSignIn;
  records: SignInRecords;
  factors: SecondFactors;
  subjectTokens: SubjectTokenVerifier;
  approvals: ApprovalRequests;
  publishing: PublishApprovals;
  resourceServer: PlatformResourceServer;
  /** Signs cookies. */
  cookieKeys: Keyring;
  consents: RememberedConsents;
  introspection: TokenIntrospection;
  signedTokens: SignedTokenRequests;
  clientRoles: ClientRoles;
  /** Takes refused requests for the audit log. */
  refusals: RefusalSink;
  logger: Logger;
}

/** oidc-provider behind our own router, changed where its behavior differs from what the platform promises. */
export function createOidcProvider(options: OidcProviderOptions): Provider {
  const { issuer, keys, adapter, families, introspection, clientRoles } = options;
  const clients = { ...options, served: servedGrantTypes };
  const provider = new Provider(issuer, {
    adapter: (kind) => (kind === "Client" ? clientAdapter(clients) : adapter.adapter(kind)),
    jwks: { keys: keys.map(({ privateJwk }) => privateJwk) },
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
    clientDefaults: { id_token_signed_response_alg: "ES256", response_types: [], grant_types: [] },
    extraClientMetadata: { properties: ["registered"], validator: () => undefined },
    enabledJWA: { idTokenSigningAlgValues: ["ES256"], clientAuthSigningAlgValues: keyAlgorithms },
    clockTolerance: clockToleranceSeconds,
    assertJwtClientAuthClaimsAndHeader: (_context, claims) => requireShortLifetime(claims),
    // an Origin header alone is accepted; without a CORS header in the answer no script from another origin can read it
    clientBasedCORS: () => true,
    ...authorizeSettings(options),
    renderError,
    scopes: [...identityScopes],
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
      revocation: refreshTokenRevocation(families),
      introspection: introspection.refreshTokens(),
      resourceIndicators: {
        enabled: true,
        defaultResource: () => issuer,
        getResourceServerInfo: (context, resource, client) => options.resourceServer.info(context, resource, client),
      },
    },
    ttl: {
      ...authorizeLifetimes,
      ClientCredentials: (_context, token) => tokenSeconds(token.resourceServer),
      AccessToken: (_context, token) => tokenSeconds(token.resourceServer),
      Grant: refreshAbsoluteSeconds,
      RefreshToken: (context, token) => {
        const now = Math.floor(Date.now() / 1000);
        const { iiat = now } = token as { iiat?: number };
        const { signIn, access } = signedInAccountOf(context) ?? {};
        const sessionLeft = (signIn?.authTime ?? iiat) + (access?.sessionSeconds ?? refreshAbsoluteSeconds) - now;
        return Math.max(1, Math.min(refreshIdleSeconds, refreshAbsoluteSeconds - (now - iiat), sessionLeft));
      },
    },
    extraTokenClaims: (context, token) =>
      exchangedTokenClaims(token) ??
      tenantClaims(context, registeredClientOf(token.client), {
        grantId: "grantId" in token ? token.grantId : undefined,
        passwordGrant: "gty" in token && token.gty?.startsWith(passwordGrantType) === true,
        rolesOf: (client) => clientRoles.of(client),
      }),
    formats: {
      customizers: {
        jwt(context, _token, { payload }) {
          payload["nbf"] = payload["iat"];
          const identity = grantedIdentityScopes(context);
          if (identity.length > 0) payload["scope"] = withIdentity(identity, payload["scope"]);
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
  chooseSuccessors(provider);
  keepSignInVersions(provider);
  storeMembers(provider.Grant, termsOfGrant, versionsOfGrant);
  storeMembers(provider.Session, versionOfSession);
  // our router sets the forwarded headers from the issuer (issuer-headers.ts)
  provider.proxy = true;
  registerPasswordGrant(provider, options);
  registerTokenExchange(provider, options);
  shapeAnswers(provider, options);
  return provider;
}

/** Gives a refresh token that comes from another one the value that was chosen for it. */
function chooseSuccessors(provider: Provider): void {
  // the types do not have this method from oidc-provider 9.13
  const prototype = provider.RefreshToken.prototype as object as { generateTokenId?: () => string };
  const { generateTokenId } = prototype;
  if (!generateTokenId) throw new Error("oidc-provider makes the values of tokens in another way");
  prototype.generateTokenId = function (this: object) {
    return chosenSuccessor(Provider.ctx) ?? generateTokenId.call(this);
  };
}

/** Lets oidc-provider store more members: it stores only those that its model lists. */
function storeMembers(model: object, ...members: readonly string[]): void {
  const storedMembers: unknown = Reflect.get(model, "IN_PAYLOAD");
  Object.defineProperty(model, "IN_PAYLOAD", { value: [...(storedMembers as string[]), ...members] });
}

/** Every token has a resource server, though oidc-provider's types allow none. */
function tokenSeconds(info: { accessTokenTTL?: number | undefined } | undefined): number {
  if (info?.accessTokenTTL === undefined) throw new Error("The token has no resource server");
  return info.accessTokenTTL;
}

/** Answers errors in the platform's form, and requests for signed tokens that oidc-provider refuses. */
function shapeAnswers(
  provider: Provider,
  { issuer, signedTokens, failures, refusals, logger }: OidcProviderOptions,
): void {
  const remember = (context: KoaContextWithOIDC, error: unknown) => {
    context.state["failure"] = error;
  };
  provider.on("grant.error", remember);
  provider.on("revocation.error", remember);
  provider.on("introspection.error", remember);
  provider.on("server_error", (context, error) => {
    remember(context, error);
    if (isDatabaseUnavailable(error)) logger.warn({ err: error }, "token request failed: the database is unavailable");
    else logger.error({ err: error }, "token request failed");
  });
  const application: EventEmitter = provider;
  application.on("error", (error) => logger.error({ err: error }, "the authorization server failed"));
  provider.use(async (context, next) => {
    // our router sets it for allowed origins; oidc-provider itself would let every origin read
    const isAllowedOrigin = context.res.hasHeader("access-control-allow-origin");
    await next();
    if (!isAllowedOrigin) {
      context.remove("access-control-allow-origin");
      context.remove("access-control-expose-headers");
    }
    // the authorization endpoint's errors are pages for people
    if (context.path.startsWith(authorizePath)) return;
    countFailedAuthentication(context as KoaContextWithOIDC, context.state["failure"], failures);
    const failure = await signedTokens.answer(context as KoaContextWithOIDC, context.state["failure"]);
    if (failure === undefined) return listIdentityScopes(context as KoaContextWithOIDC);
    const answer = oauthErrorResponse(failure, issuer);
    noteTokenRefusal(refusals, context as KoaContextWithOIDC, failure, answer);
    const { status, body, headers } = answer;
    context.status = status;
    context.set(headers);
    context.body = { ...body, traceId: context.res.getHeader("x-trace-id") };
  });
}
