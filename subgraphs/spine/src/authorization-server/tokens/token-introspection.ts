import type { Client, KoaContextWithOIDC, RefreshToken } from "oidc-provider";
import { accountError, servesUser, type UserAccounts } from "../accounts/user-accounts.js";
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
      allowedPolicy: async (_context: KoaContextWithOIDC, client: Client, token: object) => {
        const { clientId, accountId } = token as Pick<RefreshToken, "clientId" | "accountId">;
        const registered = registeredClientOf(client);
        const user = accountId === undefined ? undefined : await this.#accounts.byId(accountId);
        if (!user || accountError(user, { ...registered, tenantId: user.tenant.tenantId })) return false;
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
