import type { Verifier } from "@factory/runtime/auth/authenticate";
import type { PlatformLimits } from "@factory/runtime/platform-limits/platform-limits";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { serviceKey } from "@factory/runtime/subgraph/service-registry";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { HttpRoutes } from "../../ground/http-endpoints/http-routes.js";
import { OwnPassword } from "../../people/passwords/own-password.js";
import { PersonalDataErasers } from "../../people/users/personal-data.js";
import { TenantSettings } from "../../settings/configuration/tenant-settings.js";
import { SecondFactors } from "../second-factors/second-factors.js";
import { ActiveSigningKeys } from "../signing-keys/active-signing-keys.js";
import { type AuthorizationServer, createAuthorizationServer } from "./authorization-server.js";
import { OwnSessionResolver } from "./own-sessions/own-session.resolver.js";
import { OwnSessions } from "./own-sessions/own-sessions.js";
import { artifactRetention } from "./provider/oidc-adapter.js";
import { OidcArtifact } from "./provider/oidc-artifact.entity.js";
import { tokenEndpoint } from "./tokens/token.endpoint.js";

export interface AuthorizationServerSettings {
  /** The platform's absolute URL, without a trailing slash. It is also every token's audience. */
  readonly issuer: string;
  readonly masterKeys: MasterKeys;
  /** The origins whose pages may read the token endpoint's answers. */
  readonly allowedOrigins?: readonly string[];
  /** Multiplies the limits on a client's tokens and on failed sign-ins. */
  readonly rateLimitFactor?: number;
  /** The limits for all processes. Absent: this is the only one. */
  readonly limits?: Pick<PlatformLimits, "budgets" | "failures">;
  /** Verifies the tokens that the platform's services ask about over gRPC. */
  readonly verifier: Verifier;
}

/** The authorization server, for the HTTP listener and for token verifiers. */
export const authorizationServerService = serviceKey<AuthorizationServer>("AuthorizationServer");

/** The OAuth and OpenID Connect endpoints: tokens, sign-in, userinfo and the public keys. */
export const authorizationServer: SliceModule<AuthorizationServerSettings> = {
  slice: "authorization-server",
  entities: [OidcArtifact],
  events: ["LoginFailed", "SessionEnded", "TokenRevoked", "RefreshTokenReuseDetected"],
  async start({ settings, database, workers, connections, listener, logger, refusals, onStop }, services) {
    const { issuer, masterKeys, allowedOrigins, rateLimitFactor, limits } = settings;
    const sessions = services.add(new OwnSessions(workers, logger));
    services.get(PersonalDataErasers).add(sessions.erase);
    const server = await createAuthorizationServer({
      issuer,
      pool: workers,
      database,
      masterKeys,
      keys: services.get(ActiveSigningKeys),
      factors: services.get(SecondFactors),
      ownPassword: services.get(OwnPassword),
      sessions,
      settings: services.get(TenantSettings),
      allowedOrigins,
      refusals,
      logger,
      pages: services.get(HttpRoutes).byPath,
      workerUrl: connections.worker,
      listener,
      rateLimitFactor,
      limits,
    });
    services.add(server, authorizationServerService);
    onStop(() => server.close());
  },
  grpcServices: (_, { settings }) => [tokenEndpoint(settings.verifier)],
  resolvers: (get) => [new OwnSessionResolver(get(OwnSessions))],
  retention: () => [artifactRetention],
};
