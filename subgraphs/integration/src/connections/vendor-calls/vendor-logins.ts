import { DomainError } from "@factory/runtime/errors/domain-error";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import type { AccessTokens } from "./access-tokens.js";
import { usesTokens } from "./authentication/authentication.js";
import { member, optionalMember } from "./authentication/material.js";
import type { VendorCredentials } from "./authentication/vendor-credentials.js";
import type { VendorTarget } from "./exchange/vendor-call.js";

/** A user name with a password or a token. */
export interface VendorLogin {
  readonly username: string;
  readonly password: string;
}

/** Where a login is sent. */
interface LoginUse {
  readonly url: URL;
  /** The user name for a credential that has none. */
  readonly username: string;
}

/** Connections' logins for programs that speak another protocol than the vendor's API, for example git. */
export class VendorLogins {
  readonly #credentials: VendorCredentials;
  readonly #tokens: AccessTokens;

  constructor(credentials: VendorCredentials, tokens: AccessTokens) {
    this.#credentials = credentials;
    this.#tokens = tokens;
  }

  /**
   * Undefined for a connection without a credential. Throws what `VendorCalls.call` throws before it asks the vendor,
   * and CREDENTIAL_UNUSABLE where the credential's hosts do not include the URL's host.
   */
  async of(
    target: VendorTarget,
    provider: ProviderRecord,
    { url, username }: LoginUse,
  ): Promise<VendorLogin | undefined> {
    const { authMode } = target.connection;
    if (authMode === "None") return undefined;
    const { material } = await this.#credentials.current(target, url);
    if (usesTokens(authMode, provider.driver)) {
      const { token } = await this.#tokens.of(target, provider);
      return { username, password: token };
    }
    const login = { username: optionalMember(material, "username") ?? username };
    if (authMode === "Basic") return { ...login, password: member(material, "password") };
    if (authMode === "BearerToken") return { ...login, password: member(material, "token", "accessToken") };
    if (authMode === "ApiKey") return { ...login, password: member(material, "apiKey", "key", "token") };
    throw new DomainError("AUTH_MODE_NOT_SUPPORTED", {
      detail: `A login cannot be made from the authentication mode "${authMode}". Use Basic, BearerToken, ApiKey, OAuth2ClientCredentials or OAuth2AuthorizationCode.`,
    });
  }
}
