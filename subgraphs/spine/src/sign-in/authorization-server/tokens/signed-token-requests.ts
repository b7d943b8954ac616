import type { Database } from "@factory/runtime/unit-of-work/database";
import { errors, type KoaContextWithOIDC } from "oidc-provider";
import { causeOf } from "../../../ground/http-endpoints/request-cause.js";
import { registeredClientOf } from "../client-authentication/registered-client.js";
import type { AccessTokens } from "./access-tokens.js";
import { revocationPath, revokeAccessToken } from "./revoke-token.js";
import { introspectionPath, type TokenIntrospection } from "./token-introspection.js";

interface SignedTokenRequestsOptions {
  readonly tokens: AccessTokens;
  readonly introspection: TokenIntrospection;
  readonly database: Database;
}

/**
 * Revocation and introspection for access tokens. oidc-provider serves both for tokens that it stores, and refuses
 * signed tokens with `unsupported_token_type` once it has authenticated the client: that error is answered here.
 */
export class SignedTokenRequests {
  readonly #options: SignedTokenRequestsOptions;

  constructor(options: SignedTokenRequestsOptions) {
    this.#options = options;
  }

  /** Called after oidc-provider with its error, if any. Returns the error that is left to answer with. */
  async answer(context: KoaContextWithOIDC, failure: unknown): Promise<unknown> {
    if (context.path !== revocationPath && context.path !== introspectionPath) return failure;
    const { route, client, params } = context.oidc;
    // RFC 7662 section 2.1 asks for authentication; the client id alone does not authenticate a public client
    if (route === "introspection" && client?.clientAuthMethod === "none" && isExpected(failure))
      return new errors.InvalidClientAuth("A client without a secret or keys cannot introspect.");
    if (!(failure instanceof errors.UnsupportedTokenType) || !client) return failure;
    const { tokens, introspection, database } = this.#options;
    const token = await tokens.verify(String(params?.["token"]));
    const registeredClient = registeredClientOf(client);
    context.status = 200;
    if (route === "revocation") {
      context.body = "";
      if (token?.client_id === registeredClient.clientId)
        await revokeAccessToken(database, token, causeOf(context, registeredClient.clientId));
    } else context.body = await introspection.accessToken(token, registeredClient);
    return undefined;
  }
}

const isExpected = (failure: unknown) => failure === undefined || failure instanceof errors.OIDCProviderError;
