import type { IncomingMessage, ServerResponse } from "node:http";
import type { TenantLookup } from "@factory/runtime/auth/confirmed-tenants";
import { TokenVerifier } from "@factory/runtime/auth/token-verifier";
import type { Notifications } from "@factory/runtime/connections/listener";
import { ReadPipeline } from "@factory/runtime/connections/read-pipeline";
import { ServerWatch } from "@factory/runtime/connections/server-watch";
import type { RefusalSink } from "@factory/runtime/messages/refusal";
import type { PlatformLimits } from "@factory/runtime/platform-limits/platform-limits";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { Logger } from "@factory/runtime/telemetry/logger";
import { continueTrace } from "@factory/runtime/telemetry/trace";
import type { Database } from "@factory/runtime/unit-of-work/database";
import type { JSONWebKeySet } from "jose";
import Provider from "oidc-provider";
import type { Pool } from "pg";
import { ApprovalRequests } from "../../approvals/approval-request.js";
import { PublishApprovals } from "../../approvals/publish-approvals.js";
import type { HttpRoute } from "../../ground/http-endpoints/http-route.js";
import { causeOf } from "../../ground/http-endpoints/request-cause.js";
import { AddressRateLimiter } from "../../ground/request-limits/address-rate-limiter.js";
import {
  addressLimits,
  clientLimits,
  FailureLimiter,
  factorLimits,
  loginLimits,
} from "../../ground/request-limits/failure-limiter.js";
import { GuessLimiter } from "../../ground/request-limits/guess-limiter.js";
import { TokenRateLimiter } from "../../ground/request-limits/token-rate-limiter.js";
import type { OwnPassword } from "../../people/passwords/own-password.js";
import type { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import { tenantLookup } from "../../tenants/tenants/tenant-lookup.js";
import { ownSecurityPath } from "../second-factors/kinds/own-security-path.js";
import type { SecondFactors } from "../second-factors/second-factors.js";
import type { ActiveSigningKeys } from "../signing-keys/active-signing-keys.js";
import { keySetMaxAgeSeconds, signingKeysChannel } from "../signing-keys/signing-key-store.js";
import { PasswordSignIn } from "./accounts/password-sign-in.js";
import { SignInRecords } from "./accounts/sign-in-records.js";
import { UserAccounts } from "./accounts/user-accounts.js";
import { findRegisteredClient } from "./client-authentication/registered-client.js";
import { corsFor } from "./cors.js";
import { discoveryDocument, jwksPath } from "./discovery-document.js";
import { FactorAttempts } from "./factor-forms/factor-attempts.js";
import { FactorIdentification } from "./factor-forms/factor-identification.js";
import { KeptValues } from "./factor-forms/kept-values.js";
import { SubjectTokenVerifier } from "./grants/subject-token.js";
import { oauthError, problem, refuse } from "./oauth-requests/answers.js";
import { currentVisit } from "./oauth-requests/request-visit.js";
import { ownSecurityClient, ownSecurityClientId } from "./own-security/own-security-client.js";
import { ownSecurityEndpoint } from "./own-security/own-security-endpoint.js";
import type { OwnSessions } from "./own-sessions/own-sessions.js";
import { OidcAdapter } from "./provider/oidc-adapter.js";
import { createOidcProvider, tokenPath } from "./provider/oidc-provider.js";
import { browserRoutes } from "./sign-in/browser-routes.js";
import { CsrfTokens } from "./sign-in/csrf-token.js";
import { RememberedConsents } from "./sign-in/remembered-consents.js";
import { AccessTokens } from "./tokens/access-tokens.js";
import { ClientRoles } from "./tokens/client-roles.js";
import { PlatformResourceServer } from "./tokens/resource-server.js";
import { revocationPath } from "./tokens/revoke-token.js";
import { SignedTokenRequests } from "./tokens/signed-token-requests.js";
import { TokenFamilies } from "./tokens/token-families.js";
import { introspectionPath, TokenIntrospection } from "./tokens/token-introspection.js";
import { userinfo, userinfoPath } from "./tokens/userinfo-endpoint.js";

interface AuthorizationServerOptions {
  /** Absolute, without a trailing slash; also every token's audience. */
  issuer: string;
  /** Connects as the spine's worker role. */
  pool: Pool;
  database: Database;
  masterKeys: MasterKeys;
  settings: TenantSettings;
  factors: SecondFactors;
  ownPassword: OwnPassword;
  sessions: OwnSessions;
  /** The signing keys, which the server starts. */
  keys: ActiveSigningKeys;
  /** Origins whose pages may call the token and userinfo endpoints. */
  allowedOrigins?: readonly string[] | undefined;
  /** Other slices' routes by path. */
  pages?: Readonly<Record<string, HttpRoute>>;
  /** Takes refused requests for the audit log. */
  refusals: RefusalSink;
  logger: Logger;
  /** The worker role's URL. */
  workerUrl: string;
  listener: Notifications;
  /** Multiplies the limits on a client's tokens and on failed sign-ins. */
  rateLimitFactor?: number | undefined;
  /** The limits for all processes. Absent: this is the only one. */
  limits?: Pick<PlatformLimits, "budgets" | "failures"> | undefined;
}

/** The running authorization server: OAuth 2.0 and OpenID Connect for the whole platform. */
export interface AuthorizationServer {
  /** Serves the token endpoints, the sign-in pages and the well-known documents, also under /v1; 404 for other paths. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** The public signing keys that are published now. */
  jwks(): Promise<JSONWebKeySet>;
  /** Calls the listener before a new key signs, and when an old key is withdrawn. */
  onKeysChanged(listener: () => Promise<void>): void;
  /** Whether a tenant exists; token verifiers ask it. */
  readonly tenantExists: TenantLookup;
  /** Called after the last request. Waits until everything is stored. */
  close(): Promise<void>;
}

type Callback = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Connections for reading clients, with which every token request begins. */
const clientConnections = 2;
const maxBodyBytes = 1_048_576;
const publicDocumentCache = `public, max-age=${keySetMaxAgeSeconds}`;

/** Starts the authorization server and its signing keys. Rejects if the keys cannot be read. */
export async function createAuthorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer> {
  const { issuer, pool, database, masterKeys, keys, settings, factors, logger, refusals, listener } = options;
  const approvals = new ApprovalRequests(database, settings);
  const publishing = new PublishApprovals(database, approvals, settings);
  const accounts = new UserAccounts({ pool, reader: database.reader, settings, publishing });
  const families = new TokenFamilies(pool, () => causeOf(Provider.ctx));
  const records = new SignInRecords({ database, logger, refusals });
  const sharedFailures = options.limits?.failures;
  const passwords = new PasswordSignIn({
    ...{ accounts, records },
    failures: new GuessLimiter("login", loginLimits(options.rateLimitFactor), sharedFailures),
  });
  const adapter = new OidcAdapter(
    pool,
    async ({ kind, grantId }) => {
      if (grantId) await families.revoke(grantId, kind === "RefreshToken" ? "RefreshTokenReuseDetected" : "Silent");
    },
    (grantId) => families.revoke(grantId, "Silent"),
    () => currentVisit(Provider.ctx),
    masterKeys.keyring("factory spine refresh tokens"),
  );
  const clientReads = new ReadPipeline(options.workerUrl, clientConnections, ServerWatch.of(options.workerUrl, logger));
  const ownClient = ownSecurityClient(issuer);
  const findClient = async (clientId: string) =>
    clientId === ownSecurityClientId ? ownClient : findRegisteredClient(clientReads, clientId);
  const tokens = new AccessTokens({ issuer, keys: () => keys.published, pool });
  const introspection = new TokenIntrospection({ accounts, tokens, findClient });
  const tenantExists = tenantLookup(clientReads);
  const subjectVerifier = new TokenVerifier({
    ...{ issuer, audience: issuer, tenantExists },
    keys: async () => keys.published,
  });
  keys.onChange(() => subjectVerifier.keysChanged());
  const addresses = new AddressRateLimiter(options.rateLimitFactor);
  const parts = {
    issuer,
    findClient,
    cookieKeys: masterKeys.keyring("factory spine cookies"),
    consents: new RememberedConsents(pool),
    accounts,
    adapter,
    families,
    ...{ passwords, records, factors },
    subjectTokens: new SubjectTokenVerifier(subjectVerifier, pool),
    ...{ approvals, publishing, resourceServer: new PlatformResourceServer(issuer, publishing) },
    clientRoles: new ClientRoles(database.reader),
    introspection,
    signedTokens: new SignedTokenRequests({ tokens, introspection, database }),
    failures: new FailureLimiter(clientLimits),
    tokenLimiter: new TokenRateLimiter(options.rateLimitFactor, options.limits?.budgets),
    addresses,
    refusals,
    logger,
  };
  // oidc-provider reads its keys once, so new keys need a new provider
  let provider: Provider;
  let serve: Callback;
  try {
    await keys.start((current) => {
      provider = createOidcProvider({ ...parts, keys: current });
      serve = provider.callback();
    });
    await listener.on(signingKeysChannel, () => void keys.refresh());
  } catch (error) {
    await clientReads.close();
    throw error;
  }
  const interactions = {
    ...{ issuer, findClient, accounts, passwords, records, factors, logger },
    provider: () => provider,
    consents: parts.consents,
    csrfTokens: new CsrfTokens(masterKeys.keyring("factory spine forms")),
    attempts: new FactorAttempts({
      ...{ records, locks: factors.locks },
      failures: new GuessLimiter("factor", factorLimits(options.rateLimitFactor), sharedFailures),
    }),
    identification: new FactorIdentification({
      ...{ accounts, records },
      failures: new FailureLimiter(addressLimits(options.rateLimitFactor)),
    }),
    kept: new KeptValues(pool),
  };
  const browserRoute = browserRoutes(interactions);
  const discovery = document("application/json", () => discoveryDocument(issuer));
  const routes: Record<string, HttpRoute> = {
    ...Object.fromEntries(
      [tokenPath, revocationPath, introspectionPath].map((path) => [
        path,
        {
          methods: ["POST"],
          limit: "clients" as const,
          handle: formEndpoint(path, (...exchange) => serve(...exchange), logger),
        },
      ]),
    ),
    [userinfoPath]: {
      methods: ["GET", "POST"],
      limit: "clients",
      handle: userinfo({ tokens, accounts, logger }),
    },
    [ownSecurityPath]: ownSecurityEndpoint(
      { ...interactions, ownPassword: options.ownPassword, sessions: options.sessions },
      ownClient,
    ),
    "/.well-known/openid-configuration": discovery,
    "/.well-known/oauth-authorization-server": discovery,
    [jwksPath]: document("application/jwk-set+json", () => keys.published),
    ...options.pages,
  };
  const cors = corsFor(options.allowedOrigins ?? []);
  return {
    jwks: async () => keys.published,
    tenantExists,
    onKeysChanged: (listener) => keys.onChange(listener),
    async close() {
      await Promise.all([records.settled(), clientReads.close()]);
    },
    handle(request, response) {
      // a front door before this server may have set the trace already
      if (!response.hasHeader("x-trace-id"))
        response.setHeader("x-trace-id", continueTrace(single(request.headers["traceparent"])).traceId);
      const path = pathOf(request);
      const route: HttpRoute | undefined = Object.hasOwn(routes, path) ? routes[path] : browserRoute(path);
      if (!route)
        return problem(
          response,
          "NOT_FOUND",
          "This path is not served. The discovery document at /.well-known/openid-configuration lists the endpoints.",
        );
      if ((path === tokenPath || path === userinfoPath) && cors(request, response)) return;
      if (!route.methods.includes(request.method ?? "")) {
        response.setHeader("allow", route.methods.join(", "));
        return problem(
          response,
          "METHOD_NOT_ALLOWED",
          `The method ${request.method} is not allowed at this path. Use ${route.methods.join(" or ")}.`,
        );
      }
      const wait = route.limit && addresses.consume(route.limit, request);
      if (wait === undefined) route.handle(request, response);
      else refuse(response, route.limit, wait);
    },
  };
}

function pathOf({ url = "/" }: IncomingMessage): string {
  const [path = "/"] = url.split("?", 1);
  return path.startsWith("/v1/") ? path.slice(3) : path;
}

function document(contentType: string, value: () => unknown): HttpRoute {
  return {
    methods: ["GET", "HEAD"],
    handle(request, response) {
      const body = Buffer.from(JSON.stringify(value()));
      response.writeHead(200, {
        "content-type": contentType,
        "content-length": body.length,
        "cache-control": publicDocumentCache,
        "access-control-allow-origin": "*",
      });
      response.end(request.method === "HEAD" ? undefined : body);
    },
  };
}

function formEndpoint(path: string, callback: Callback, logger: Logger): HttpRoute["handle"] {
  return (request, response) => {
    if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) {
      response.setHeader("connection", "close");
      return oauthError(response, "PAYLOAD_TOO_LARGE", "The body is larger than 1 MiB, which is the limit.");
    }
    // parameters in the query do not count (RFC 6749 section 3.2), and oidc-provider knows the path without /v1
    request.url = path;
    callback(request, response).catch((error: unknown) => {
      logger.error({ err: error }, "token request failed");
      if (response.headersSent) response.destroy();
      else problem(response, "INTERNAL", "An internal error occurred. Give the operator the traceId of this answer.");
    });
  };
}

const single = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);
