import { randomBytes } from "node:crypto";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { Adapter } from "oidc-provider";
import { secretDigest } from "../../../oauth-clients/client-secret.js";
import { type GrantType, grantTypes } from "../../../oauth-clients/grant-types.js";
import { currentContext } from "../oauth-requests/current-context.js";
import { type ClientAuthenticationOptions, requireNotBlocked } from "./client-authentication.js";
import { firstVersions, type RegisteredClient } from "./registered-client.js";
import { addressOf, countTokenRequest } from "./token-quota.js";

/** The adapter through which oidc-provider finds clients. They are stored elsewhere, so it only reads. */
export function clientAdapter(options: ClientAuthenticationOptions): Adapter {
  const { findClient, served, failures, tokenLimiter } = options;
  const rejectStoring = () => Promise.reject(new Error("The authorization server does not store clients"));
  return {
    async find(clientId) {
      const context = currentContext();
      // later in a request, oidc-provider looks up a token's client, which does not authenticate
      const isPresented = context.oidc.entities.Client === undefined;
      if (isPresented) {
        context.state["presentedClientId"] = clientId;
        requireNotBlocked(context, failures);
      }
      const registeredClient = (await findClient(clientId)) ?? unknownClient;
      // anybody may name a public client, so its requests are counted for each address
      if (isPresented && registeredClient.isPublic)
        countTokenRequest(
          tokenLimiter,
          context,
          `${registeredClient.clientId} ${addressOf(context)}`,
          registeredClient,
        );
      return clientMetadata(registeredClient, served);
    },
    upsert: rejectStoring,
    findByUserCode: rejectStoring,
    findByUid: rejectStoring,
    consume: rejectStoring,
    destroy: rejectStoring,
    revokeByGrantId: rejectStoring,
  };
}

/** Stands for every unknown client, so that its request takes the same path as one with a wrong secret. No secret matches. */
const unknownClient: RegisteredClient = {
  clientId: "unknown",
  name: "",
  secretDigest: secretDigest(randomBytes(32).toString("hex")),
  scopes: [],
  identityScopes: [],
  grantTypes: [...grantTypes],
  principalType: "Service",
  platformAdmin: false,
  // random, so that no request can name it
  redirectUris: [`https://${randomBytes(16).toString("hex")}.invalid/`],
  firstParty: false,
  isPublic: false,
  jwks: null,
  versions: firstVersions,
  tenantId: platformTenantId,
  tenantSlug: "",
  tenantStatus: "Archived",
  editionCode: "",
};

/** Client metadata (RFC 7591 section 2), with our own client in `registered`. */
function clientMetadata(client: RegisteredClient, servedGrants: readonly GrantType[]) {
  const { clientId, redirectUris } = client;
  const grants = client.grantTypes.filter((grantType) => servedGrants.includes(grantType));
  return {
    client_id: clientId,
    grant_types: grants,
    response_types: grants.includes("authorization_code") ? ["code" as const] : [],
    redirect_uris: [...redirectUris],
    ...authenticationMetadata(client),
    registered: client,
  };
}

/** Every client has exactly one way to authenticate. */
function authenticationMetadata({ isPublic, jwks, secretDigest: digest }: RegisteredClient) {
  if (isPublic) return { token_endpoint_auth_method: "none" as const };
  if (jwks) return { token_endpoint_auth_method: "private_key_jwt" as const, jwks: { keys: [...jwks.keys] } };
  return { token_endpoint_auth_method: "client_secret_basic" as const, client_secret: digest };
}
