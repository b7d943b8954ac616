import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import { ValueSeal } from "@factory/runtime/sealing/value-seal";
import { serviceKey } from "@factory/runtime/subgraph/service-registry";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { CredentialService } from "../../credentials/credentials/credential.service.js";
import { ProviderService } from "../../providers/providers/provider.service.js";
import { AuthorizationLinks } from "../connections/authorization-links.js";
import { ConnectionService } from "../connections/connection.service.js";
import { ConnectionStates } from "../connections/connection-moves.js";
import { Verification } from "../connections/verification.js";
import { TokenEndpoint } from "../vendor-calls/token-endpoint.js";
import { TokenStore } from "../vendor-calls/token-store.js";
import { AuthorizationFlow } from "./authorization-flow.js";
import { ConnectionLinks } from "./authorization-links.js";
import { type AuthorizationPages, authorizationPages } from "./authorization-pages.js";
import { ConnectionAuthorization } from "./connection-authorization.entity.js";
import { ReauthorizationResolver } from "./reauthorization.resolver.js";
import { ReauthorizationService } from "./reauthorization.service.js";
import { RedirectUriResolver } from "./redirect-uri.resolver.js";
import { RedirectUris } from "./redirect-uris.js";

export interface ConnectionAuthorizationSettings {
  readonly masterKeys: MasterKeys;
  /** The platform's public URL without a slash at its end, where people open the pages. */
  readonly publicUrl?: string;
  /** The time by which links expire. */
  readonly clock?: () => Date;
}

/** The handler for `/integrations/oauth/*`. */
export const authorizationPagesService = serviceKey<AuthorizationPages>("AuthorizationPages");

/** How people allow the platform to use their account at a vendor (authorization code with PKCE). */
export const connectionAuthorization: SliceModule<ConnectionAuthorizationSettings> = {
  slice: "connection-authorization",
  entities: [ConnectionAuthorization],
  foreignKeys: {
    "connection_authorizations.connection_id": {
      to: "connections.connection_id",
      onDelete: "cascade",
      why: "A link authorizes one connection.",
    },
    "connection_authorizations.authorization_id": { to: null, why: "An id of its own." },
  },
  start({ database, workers, logger, settings }, services) {
    const { masterKeys, publicUrl = "http://127.0.0.1:4000", clock = () => new Date() } = settings;
    const providers = services.get(ProviderService);
    const redirectUris = services.add(new RedirectUris(publicUrl));
    const links = new ConnectionLinks({ providers, publicUrl, clock });
    services.get(AuthorizationLinks).makeWith((transaction, connection) => links.makeIn(transaction, connection));
    services.add(new ReauthorizationService(database, links));
    const flow = new AuthorizationFlow({
      ...{ database, workers, providers, redirectUris, clock },
      connections: services.get(ConnectionService),
      credentials: services.get(CredentialService),
      states: services.get(ConnectionStates),
      verification: services.get(Verification),
      endpoint: services.get(TokenEndpoint),
      tokens: services.get(TokenStore),
      seal: new ValueSeal(masterKeys.keyring("factory integration authorization states")),
    });
    services.add(authorizationPages(flow, publicUrl.startsWith("https:"), logger), authorizationPagesService);
  },
  resolvers: (get) => [
    new ReauthorizationResolver(get(ReauthorizationService)),
    new RedirectUriResolver(get(RedirectUris)),
  ],
  retention: () => [
    {
      table: "connection_authorizations",
      expired: "expires_at < now() - interval '1 day'",
      order: "expires_at",
    },
  ],
};
