import { encodeId } from "@factory/runtime/identifiers/wire-id";
import type { IdentityScope } from "@factory/schema/scopes";
import type { GrantType } from "./grant-types.js";
import type { OAuthClient } from "./oauth-client.entity.js";
import type { OAuthClientType } from "./oauth-client.type.js";
import type { PublicKeySet } from "./public-keys.js";

/** A row of `api_clients` as PostgreSQL returns it. */
export interface OAuthClientRow {
  tenant_id: string;
  client_id: string;
  name: string;
  scopes: string[];
  identity_scopes: IdentityScope[];
  grant_types: GrantType[];
  principal_type: "Service" | "Agent";
  redirect_uris: string[];
  first_party: boolean;
  created_by_platform: boolean;
  is_public: boolean;
  jwks: PublicKeySet | null;
  status: "Active" | "Disabled";
  created_at: Date;
}

/** The columns of `OAuthClientRow`. */
export const oauthClientColumns =
  "tenant_id, client_id, name, scopes, identity_scopes, grant_types, principal_type, redirect_uris, first_party, created_by_platform, is_public, jwks, status, created_at";

/** The members of a client that the API shows; can be stored as JSON. */
export type OAuthClientView = Pick<OAuthClientType, keyof OAuthClientType>;

/** The API view of a row. */
export function oauthClientRowView(row: OAuthClientRow): OAuthClientView {
  return {
    clientId: row.client_id,
    name: row.name,
    scopes: [...row.identity_scopes, ...row.scopes],
    grantTypes: row.grant_types,
    principalType: row.principal_type,
    redirectUris: row.redirect_uris,
    firstParty: row.first_party,
    createdByPlatform: row.created_by_platform,
    public: row.is_public,
    keyIds: keyIdsOf(row.jwks),
    status: row.status,
    tenantId: encodeId("ten", row.tenant_id),
    createdAt: row.created_at.toISOString(),
  };
}

/** The API view of an entity. */
export function oauthClientView(client: OAuthClient): OAuthClientView {
  const { clientId, name, grantTypes, principalType, redirectUris, firstParty, status, tenantId } = client;
  return {
    ...{ clientId, name, grantTypes, principalType, redirectUris, firstParty, status, tenantId },
    scopes: [...client.identityScopes, ...client.scopes],
    createdByPlatform: client.createdByPlatform,
    public: client.isPublic,
    keyIds: keyIdsOf(client.jwks),
    createdAt: client.createdAt.toISOString(),
  };
}

/** A result that the release before stored for a repeated request does not tell who made the client. */
export const withMark = <View extends Partial<Pick<OAuthClientView, "createdByPlatform">>>(stored: View) => ({
  ...stored,
  createdByPlatform: stored.createdByPlatform ?? false,
});

/** The data of every event about a client. */
export function oauthClientFacts(client: OAuthClient): Record<string, unknown> {
  const { createdAt: _, ...facts } = oauthClientView(client);
  return facts;
}

const keyIdsOf = (jwks: PublicKeySet | null | undefined): string[] => jwks?.keys.map(({ kid }) => kid) ?? [];
