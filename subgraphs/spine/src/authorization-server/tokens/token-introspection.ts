import type { Client, KoaContextWithOIDC, RefreshToken } from "oidc-provider";
import { isOfVersions } from "../accounts/stored-versions.js";
import { accountError, servesUser, type UserAccount, type UserAccounts } from "../accounts/user-accounts.js";
import { type RegisteredClient, registeredClientOf } from "../client-authentication/registered-client.js";
import type { AccessTokenClaims, AccessTokens } from "./access-tokens.js";

/** The introspection endpoint (RFC 7662). */
export const introspectionPath = "/connect/introspect";

/** Answers of RFC 7662. A client may introspect its own tokens and those of its tenant. */
export class TokenIntrospection {
  readonly #accounts: UserAccounts;
  readonly #tokens: AccessTokens;

  constructor(accounts: UserAccounts, tokens: AccessTokens) {
    this.#accounts = accounts;
    this.#tokens = tokens;
  }

  /** The `introspection` feature of oidc-provider, which serves refresh tokens. */
  refreshTokens() {
    return {
      enabled: true,
      allowedPolicy: async (context: KoaContextWithOIDC, client: Client, token: object) => {
        const { clientId, accountId, grantId } = token as Pick<RefreshToken, "clientId" | "accountId" | "grantId">;
        const registered = registeredClientOf(client);
        const user = accountId === undefined ? undefined : await this.#accounts.byId(accountId);
        if (!user || accountError(user, { ...registered, tenantId: user.tenant.tenantId })) return false;
        if (await isEnded(context, user, { clientId, grantId })) return false;
        return clientId === client.clientId || servesUser({ ...registered, firstParty: false }, user);
      },
    };
  }

  /** The answer for an access token; `{ active: false }` for a token that the client may not see. */
  async accessToken(token: AccessTokenClaims | undefined, client: RegisteredClient): Promise<object> {
    const visible = token && (token.tenantId === client.tenantId || token.client_id === client.clientId);
    if (!visible || (await this.#tokens.status(token)) !== "Good") return { active: false };
    return { active: true, token_type: "Bearer", ...token };
  }
}

/** Whether a new password, or a change of the user or of the token's client, has ended the refresh token. */
async function isEnded(
  { oidc }: KoaContextWithOIDC,
  user: UserAccount,
  { clientId, grantId }: Partial<Pick<RefreshToken, "clientId" | "grantId">>,
): Promise<boolean> {
  const { Client: clients, Grant: grants } = oidc.provider;
  const [client, grant] = [
    clientId === undefined ? undefined : await clients.find(clientId),
    grantId === undefined ? undefined : await grants.find(grantId),
  ];
  return !client || !isOfVersions(grant, user, registeredClientOf(client));
}
