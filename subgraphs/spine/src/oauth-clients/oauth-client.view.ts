import { columnsOf, type RecordOf, type RowOf, rowReader } from "@factory/runtime/db/entity-rows";
import { OAuthClient } from "./oauth-client.entity.js";
import type { OAuthClientType } from "./oauth-client.type.js";

const shownMembers = [
  "tenantId",
  "clientId",
  "name",
  "scopes",
  "identityScopes",
  "grantTypes",
  "principalType",
  "redirectUris",
  "firstParty",
  "createdByPlatform",
  "isPublic",
  "jwks",
  "status",
  "createdAt",
] as const;

type Shown = (typeof shownMembers)[number];

const registeredMembers = [
  "tenantId",
  "clientId",
  "name",
  "scopes",
  "identityScopes",
  "grantTypes",
  "principalType",
  "platformAdmin",
  "secretDigest",
  "redirectUris",
  "firstParty",
  "isPublic",
  "jwks",
] as const;

type Registered = (typeof registeredMembers)[number];

/** The members by which the authorization server knows a client. */
export type RegisteredFacts = RecordOf<OAuthClient, Registered>;
export type RegisteredFactsRow = RowOf<OAuthClient, Registered>;

/** The `RegisteredFactsRow` columns, in a table named `client`. */
export const registeredColumns = columnsOf(OAuthClient, registeredMembers, "client");

/** The part of a client's row that its view needs. */
export type OAuthClientRow = RowOf<OAuthClient, Shown>;

export const oauthClientColumns = columnsOf(OAuthClient, shownMembers);

export const readClient = rowReader(OAuthClient);

/** The client members that the API shows. They can be stored as JSON. */
export type OAuthClientView = Pick<OAuthClientType, keyof OAuthClientType>;

export const oauthClientRowView = (row: OAuthClientRow): OAuthClientView => oauthClientView(readClient(row));

export function oauthClientView(client: Pick<OAuthClient, Shown>): OAuthClientView {
  const { clientId, name, grantTypes, principalType, redirectUris, firstParty, status, tenantId } = client;
  return {
    ...{ clientId, name, grantTypes, principalType, redirectUris, firstParty, status, tenantId },
    scopes: [...client.identityScopes, ...client.scopes],
    createdByPlatform: client.createdByPlatform,
    public: client.isPublic,
    keyIds: client.jwks?.keys.map(({ kid }) => kid) ?? [],
    createdAt: client.createdAt.toISOString(),
  };
}

/** A result that the release before stored for a repeated request does not tell who made the client. */
export const withMark = <View extends Partial<Pick<OAuthClientView, "createdByPlatform">>>(storedClient: View) => ({
  ...storedClient,
  createdByPlatform: storedClient.createdByPlatform ?? false,
});

/** The data in every event about a client. */
export function oauthClientFacts(client: OAuthClient): Record<string, unknown> {
  const { createdAt: _, ...facts } = oauthClientView(client);
  return facts;
}
