import type { Client, KoaContextWithOIDC, RefreshToken } from "oidc-provider";
import { isOfVersions } from "../accounts/stored-versions.js";
import { accountError, servesUser, type UserAccounts } from "../accounts/user-accounts.js";
import { type RegisteredClient, registeredClientOf } from "../client-authentication/registered-client.js";
import type { AccessTokenClaims, AccessTokens } from "./access-tokens.js";

/** The introspection endpoint (RFC 7662). */
export const introspectionPath = "/connect/introspect";

interface TokenIntrospectionParts {
  readonly accounts: UserAccounts;
  readonly tokens: AccessTokens;
  /** Undefined for a client that is unknown or disabled. */
  readonly findClient: (clientId: string) => Promise<RegisteredClient | undefined>;
}

/** RFC 7662 answers. A client may introspect its own tokens and its tenant's tokens. */
export class TokenIntrospection {
  readonly #parts: TokenIntrospectionParts;

  constructor(parts: TokenIntrospectionParts) {
    this.#parts = parts;
  }

  /** oidc-provider's `introspection` feature, which serves refresh tokens. */
  refreshTokens() {
    return {
      enabled: true,
      allowedPolicy: async (context: KoaContextWithOIDC, client: Client, token: object) => {
        const { clientId, accountId, grantId } = token as Pick<RefreshToken, "clientId" | "accountId" | "grantId">;
        const { accounts, findClient } = this.#parts;
        const registeredClient = registeredClientOf(client);
        const user = accountId === undefined ? undefined : await accounts.byId(accountId);
        if (!user || accountError(user, { ...registeredClient, tenantId: user.tenant.tenantId })) return false;
        if (clientId !== client.clientId && !servesUser({ ...registeredClient, firstParty: false }, user)) return false;
        // oidc-provider's clients are those that authenticate, with their limits
        const issuedTo = clientId === undefined ? undefined : await findClient(clientId);
        const grant = grantId === undefined ? undefined : await context.oidc.provider.Grant.find(grantId);
        return issuedTo !== undefined && isOfVersions(grant, user, issuedTo);
      },
    };
  }

  /** The answer for an access token; `{ active: false }` for a token that the client may not see. */
  async accessToken(token: AccessTokenClaims | undefined, client: RegisteredClient): Promise<object> {
    const visible = token && (token.tenantId === client.tenantId || token.client_id === client.clientId);
    if (!visible || (await this.#parts.tokens.status(token)) !== "Good") return { active: false };
    return { active: true, token_type: "Bearer", ...token };
  }
}
