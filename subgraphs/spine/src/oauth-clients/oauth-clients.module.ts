import { heldObjectResolver } from "@factory/runtime/graphql/object-fields";
import type { MasterKeys } from "@factory/runtime/sealing/master-keys";
import type { SliceModule } from "@factory/runtime/subgraph/slice-module";
import { PermissionLossHandlers } from "../rights/access-control/permission-loss.js";
import { TenantService } from "../tenants/tenants/tenant.service.js";
import { ClientSecrets, sealedClientSecrets } from "./client-secret.js";
import { OAuthClient } from "./oauth-client.entity.js";
import { OAuthClientResolver } from "./oauth-client.resolver.js";
import { OAuthClientService } from "./oauth-client.service.js";
import { OAuthClientSecretType, OAuthClientType } from "./oauth-client.type.js";
import { OAuthClientAdministrationService } from "./oauth-client-administration.service.js";
import { PlatformClientNotices } from "./platform-made-clients.js";

export interface OAuthClientSettings {
  /** This subgraph's secrets and keys are sealed with them or derived from them. */
  readonly masterKeys: MasterKeys;
}

/** Tenants' OAuth clients, their secrets and public keys. */
export const oauthClients: SliceModule<OAuthClientSettings> = {
  slice: "oauth-clients",
  entities: [OAuthClient],
  foreignKeys: {
    "api_clients.disabled_with": { to: null, why: "History: the id of a user that may be deleted." },
    "api_clients.secret_held_by": {
      to: null,
      why: "Audit: the ids of the principals that received the secret, as text.",
    },
  },
  events: ["ApiClientCreated", "ApiClientUpdated", "ApiClientDisabled", "ApiClientEnabled", "ApiClientSecretRotated"],
  start({ settings, database, cursors }, services) {
    const onPermissionLoss = services.get(PermissionLossHandlers).handle;
    const secrets = services.add(new ClientSecrets(settings.masterKeys));
    const notices = services.add(new PlatformClientNotices());
    services.add(new OAuthClientService({ database, secrets, tenants: services.get(TenantService), notices }));
    services.add(new OAuthClientAdministrationService({ database, secrets, cursors, onPermissionLoss }));
  },
  sealedTables: ({ masterKeys }) => [sealedClientSecrets(masterKeys)],
  resolvers: (get) => [
    new OAuthClientResolver(get(OAuthClientService), get(OAuthClientAdministrationService)),
    heldObjectResolver(OAuthClientSecretType, OAuthClientType, {
      name: "apiClient",
      description: "The client itself.",
    }),
  ],
  links: {
    "ApiClientSecret.clientId": { to: null, why: "The field apiClient holds the object." },
    "ApiClient.tenantId": { to: "Tenant" },
    "ApiClientSecret.tenantId": { to: "Tenant" },
  },
  references(get) {
    const service = get(OAuthClientAdministrationService);
    return {
      ApiClient: {
        id: { prefix: "cli", field: "clientId" },
        auth: { scopes: ["client.read"] },
        resolve: ({ clientId = "" }, context) => service.find(context, clientId),
      },
    };
  },
};
