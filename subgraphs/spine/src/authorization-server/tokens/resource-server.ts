import { isAgentScope, needsAgentApproval } from "@factory/schema/scopes";
import { type Account, type Client, errors, type KoaContextWithOIDC, type ResourceServer } from "oidc-provider";
import { platformAdminRole } from "../../roles/system-roles.js";
import type { UserAccess, UserAccount } from "../accounts/user-accounts.js";
import { type RegisteredClient, registeredClientOf } from "../client-authentication/registered-client.js";
import { OAuthError } from "../oauth-requests/oauth-error.js";

const tokenSeconds = 900;
export const agentTokenSeconds = 600;

/** oidc-provider's account with what we know of the user; made for one request. */
export interface SignedInAccount extends Account {
  readonly user: UserAccount;
  readonly access: UserAccess;
  /** When the user proved who it is, in epoch seconds; undefined before a token is made. */
  readonly authTime: number | undefined;
}

export function createSignedInAccount(user: UserAccount, access: UserAccess, authTime?: number): SignedInAccount {
  const { userId, email, displayName } = user;
  return {
    accountId: userId,
    user,
    access,
    authTime,
    claims: async () => ({
      sub: userId,
      email,
      tenantId: user.tenant.tenantId,
      tenantSlug: user.tenantSlug,
      ...(displayName === null ? {} : { name: displayName }),
    }),
  };
}

export function accountOf({ oidc }: KoaContextWithOIDC): SignedInAccount | undefined {
  return oidc.entities.Account as SignedInAccount | undefined;
}

/** The tenant's state, the scopes and the lifetime of a token; called once the client, and the user if any, is known. */
export function resourceServerInfo(
  issuer: string,
  context: KoaContextWithOIDC,
  resource: string,
  client: Client,
): ResourceServer {
  if (resource.replace(/\/$/, "") !== issuer) throw new errors.InvalidTarget();
  const registered = registeredClientOf(client);
  const { route } = context.oidc;
  if (route === "authorization" || route === "resume") requireRequestableScopes(context, registered);
  if (registered.tenantStatus !== "Active")
    throw new OAuthError("TENANT_SUSPENDED", "invalid_grant", "The client's tenant is not active.");
  const own = ownScopes(registered);
  if (context.oidc.params?.["grant_type"] === "client_credentials") requireOwnScopes(context, own);
  const scopes = accountOf(context)?.access.scopes ?? own;
  return {
    scope: scopes.join(" "),
    audience: issuer,
    accessTokenFormat: "jwt",
    accessTokenTTL: registered.principalType === "Agent" ? agentTokenSeconds : tokenSeconds,
    jwt: { sign: { alg: "ES256" } },
  };
}

/** An agent publishes for somebody, by token exchange: by itself it has no subject, so nobody could be asked to approve. */
function ownScopes({ scopes, principalType }: RegisteredClient): readonly string[] {
  return principalType === "Agent"
    ? scopes.filter((scope) => isAgentScope(scope) && !needsAgentApproval(scope))
    : scopes;
}

/** A service holds its scopes by itself: one that it does not hold is a mistake; none asked for means all of them. */
function requireOwnScopes({ oidc }: KoaContextWithOIDC, scopes: readonly string[]): void {
  const asked = oidc.params?.["scope"];
  if (typeof asked === "string") {
    const refused = asked.split(" ").filter((scope) => !scopes.includes(scope));
    if (refused.length > 0) throw new errors.InvalidScope("requested scope is not allowed", refused.join(" "));
  } else if (oidc.params) oidc.params["scope"] = scopes.join(" ") || undefined;
}

/** Refused where the request comes from: its answer goes back to the client (RFC 6749 section 4.1.2.1). */
function requireRequestableScopes({ oidc }: KoaContextWithOIDC, { scopes, tenantStatus }: RegisteredClient): void {
  if (tenantStatus !== "Active") throw new errors.AccessDenied("the client's tenant is not active");
  const asked = oidc.params?.["scope"];
  if (typeof asked === "string") {
    const refused = asked.split(" ").filter((scope) => scope !== "openid" && !scopes.includes(scope));
    if (refused.length > 0) throw new errors.InvalidScope("requested scope is not allowed", refused.join(" "));
  } else if (oidc.params) oidc.params["scope"] = scopes.join(" ") || undefined;
}

/** What a user consents to by asking: the client's scopes, or those of them that are named. */
export function grantedScopes(asked: string | undefined, { scopes }: RegisteredClient): string[] {
  if (asked === undefined) return [...scopes];
  const named = new Set(asked.split(" "));
  return scopes.filter((scope) => named.has(scope));
}

/** Of what was granted, what the user's roles give now. */
export function requireSomeScope(granted: Iterable<string>, access: UserAccess): string[] {
  const held = new Set(access.scopes);
  const left = [...granted].filter((scope) => held.has(scope));
  if (left.length === 0) throw new errors.InvalidScope("none of the requested scopes is allowed", "");
  return left;
}

/** Claims of a token beside those of RFC 9068. */
export async function tenantClaims(
  context: KoaContextWithOIDC,
  client: RegisteredClient,
  facts: { grantId: string | undefined; rolesOf: (client: RegisteredClient) => Promise<readonly string[]> },
) {
  const account = accountOf(context);
  if (!account) return clientClaims(client, await facts.rolesOf(client));
  const { grantId } = facts;
  const { user, access, authTime } = account;
  return {
    tenantId: user.tenant.tenantId,
    tenantSlug: user.tenantSlug,
    editionCode: user.editionCode,
    principalType: "User",
    roles: access.roles,
    platformAdmin: access.platformAdmin,
    ...(grantId === undefined ? {} : { grantId }),
    ...(authTime === undefined ? {} : { auth_time: authTime }),
    ...(client.firstParty ? { firstParty: true } : {}),
  };
}

function clientClaims(client: RegisteredClient, held: readonly string[]) {
  const { tenantId, tenantSlug, editionCode, principalType, platformAdmin } = client;
  const roles = platformAdmin ? [platformAdminRole.code] : held;
  return { tenantId, tenantSlug, editionCode, principalType, roles, platformAdmin };
}
