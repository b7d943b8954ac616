import { type Client, errors, type KoaContextWithOIDC, type RefreshToken } from "oidc-provider";
import { causeOf } from "../../http-endpoints/request-cause.js";
import { accountError, serves, type UserAccounts } from "../accounts/user-accounts.js";
import { type RegisteredClient, registeredClientOf } from "../client-authentication/registered-client.js";
import type { AccessTokenClaims, AccessTokens } from "./access-tokens.js";
import type { TokenFamilies } from "./token-families.js";

export const revocationPath = "/connect/revocation";
export const introspectionPath = "/connect/introspect";

export interface TokenIntrospectionOptions {
  accounts: UserAccounts;
  families: TokenFamilies;
  issued: AccessTokens;
}

type StoredToken = Pick<RefreshToken, "clientId" | "grantId" | "accountId">;

/** RFC 7009 and RFC 7662. oidc-provider serves them for what it stores; signed access tokens, which it refuses, are ours. */
export class TokenIntrospection {
  readonly #options: TokenIntrospectionOptions;

  constructor(options: TokenIntrospectionOptions) {
    this.#options = options;
  }

  /** Features of oidc-provider: what each may do with a refresh token. */
  features() {
    const { accounts, families } = this.#options;
    return {
      revocation: {
        enabled: true,
        allowedPolicy: async (_context: KoaContextWithOIDC, client: Client, token: object) => {
          const { clientId, grantId } = token as StoredToken;
          if (clientId !== client.clientId) return false;
          if (grantId) await families.revoke(grantId, "TokenRevoked");
          return true;
        },
      },
      introspection: {
        enabled: true,
        allowedPolicy: async (_context: KoaContextWithOIDC, client: Client, token: object) => {
          const { clientId, accountId } = token as StoredToken;
          const registered = registeredClientOf(client);
          const user = accountId === undefined ? undefined : await accounts.byId(accountId);
          if (!user || accountError(user, { ...registered, tenantId: user.tenant.tenantId })) return false;
          return clientId === client.clientId || serves({ ...registered, firstParty: false }, user);
        },
      },
    };
  }

  /**
   * After oidc-provider: the failure that stands then. It refuses signed tokens only once the client is authenticated,
   * so whoever comes here has proven who he is.
   */
  async answerFor(context: KoaContextWithOIDC, failure: unknown): Promise<unknown> {
    if (context.path !== revocationPath && context.path !== introspectionPath) return failure;
    const { route, client, params } = context.oidc;
    // RFC 7662 section 2.1: a name alone is no authorization
    if (route === "introspection" && client?.clientAuthMethod === "none" && isExpected(failure))
      return new errors.InvalidClientAuth("a client without a secret cannot introspect");
    if (!(failure instanceof errors.UnsupportedTokenType) || !client) return failure;
    const token = await this.#options.issued.read(String(params?.["token"]));
    const registered = registeredClientOf(client);
    context.status = 200;
    if (route === "revocation") {
      context.body = "";
      if (token?.client_id === registered.clientId)
        await this.#options.issued.revoke(token, causeOf(context, registered.clientId));
    } else context.body = await this.#introspected(token, registered);
    return undefined;
  }

  async #introspected(token: AccessTokenClaims | undefined, client: RegisteredClient): Promise<object> {
    const known = token && (token.tenantId === client.tenantId || token.client_id === client.clientId);
    if (!known || !(await this.#options.issued.isGood(token))) return { active: false };
    return { active: true, token_type: "Bearer", ...token };
  }
}

const isExpected = (failure: unknown) => failure === undefined || failure instanceof errors.OIDCProviderError;
