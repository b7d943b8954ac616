import { DomainError } from "@factory/runtime/errors/domain-error";
import type { SecretMaterial } from "../../credentials/credentials/secret-store.js";
import type { OAuth2Description } from "../../providers/provider-drivers/provider-driver.js";
import type { ProviderService } from "../../providers/providers/provider.service.js";
import type { ProviderRecord } from "../../providers/providers/provider-record.js";
import { headerValue, member, optionalMember } from "./authentication/material.js";
import { signedAssertion } from "./authentication/signed-assertion.js";
import type { OpenVersion, VendorCredentials } from "./authentication/vendor-credentials.js";
import type { VendorCallCounts } from "./call-counts.js";
import type { VendorTarget } from "./exchange/vendor-call.js";
import type { GrantRequests } from "./grant-request.js";
import { settingsOf } from "./oauth2-client.js";
import type { GrantedTokens, VendorTokens } from "./token-answer.js";
import { requireUsableProvider } from "./usable-target.js";
import { vendorUrl } from "./vendor-url.js";

/** The parameters for a grant (RFC 6749, section 4), with its `grant_type`. */
export type Grant = Readonly<Record<string, string>>;

interface Options {
  readonly providers: ProviderService;
  readonly credentials: VendorCredentials;
  readonly requests: GrantRequests;
  readonly counts: VendorCallCounts;
  readonly clock: () => Date;
}

interface Client {
  readonly provider: ProviderRecord;
  readonly oauth2: OAuth2Description;
  readonly url: URL;
  readonly material: SecretMaterial;
}

const clientAssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const jwtBearerGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Exchanges grants for tokens at a vendor's token endpoint. It stores nothing. */
export class TokenEndpoint {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Exchanges a grant that the caller has, for example an authorization code with its `code_verifier`, as the client
   * that the connection's credential names. Throws as `VendorCalls.call` does, and CREDENTIAL_REJECTED.
   */
  async exchange(target: VendorTarget, grant: Grant): Promise<VendorTokens> {
    const provider = await this.#options.providers.record(target.tenant, target.connection.providerId);
    return this.obtain(target, requireUsableProvider(provider), () => grant);
  }

  /**
   * The tokens for the grant, or for the grant that needs no more than the credential when none is given. `grantOf` is
   * called when the credential could be opened.
   */
  async obtain(
    target: VendorTarget,
    provider: ProviderRecord,
    grantOf: () => Grant | undefined = () => undefined,
  ): Promise<VendorTokens> {
    const { credentials, counts } = this.#options;
    const oauth2 = requireOAuth2(requireUsableProvider(provider));
    const url = vendorUrl(oauth2.tokenUrl, target.connection.configuration);
    const current = await credentials.current(target, url);
    const grant = grantOf();
    const askAs = async ({ version, material }: OpenVersion): Promise<VendorTokens> => {
      const tokens = await this.#ask(target, { provider, oauth2, url, material }, grant);
      const { connection } = target;
      const client = {
        credentialId: connection.credentialId ?? "",
        version,
        settings: settingsOf(provider, connection),
      };
      return { ...tokens, client };
    };
    try {
      return await askAs(current);
    } catch (error) {
      const codes = ["CREDENTIAL_REJECTED", "CREDENTIAL_UNUSABLE"];
      if (!(error instanceof DomainError) || !codes.includes(error.code)) throw error;
      const former = await credentials.previous(target, url);
      if (!former) throw error;
      const tokens = await askAs(former);
      counts.addFallback();
      return tokens;
    }
  }

  async #ask(target: VendorTarget, client: Client, grant: Grant | undefined): Promise<GrantedTokens> {
    const { provider, oauth2, url } = client;
    const { headers, parameters: clientParameters } = await this.#clientAuthentication(
      client,
      target.connection.authMode,
    );
    const parameters = new URLSearchParams({
      ...oauth2.tokenParameters,
      ...(grant ?? (await this.#ownGrant(client, target.connection.authMode))),
      ...clientParameters,
    });
    return this.#options.requests.send(target, { provider, url, headers, parameters });
  }

  async #ownGrant({ oauth2, url, material }: Client, authMode: string): Promise<Grant> {
    const { scopes = [], scopeSeparator = " ", audience } = oauth2;
    const grantParameters = {
      ...(scopes.length > 0 && { scope: scopes.join(scopeSeparator) }),
      ...(audience && { audience }),
    };
    if (authMode !== "JwtBearer") return { grant_type: "client_credentials", ...grantParameters };
    const issuer = member(material, "issuer");
    const assertion = await signedAssertion(material, {
      issuer,
      subject: optionalMember(material, "subject") ?? issuer,
      audience: optionalMember(material, "audience") ?? url.href,
      now: this.#options.clock(),
    });
    return { grant_type: jwtBearerGrant, assertion, ...grantParameters };
  }

  /** RFC 6749, section 2.3.1, and RFC 7523, section 2.2. An assertion that is the grant needs no client. */
  async #clientAuthentication(
    { oauth2, url, material }: Client,
    authMode: string,
  ): Promise<{ headers: Record<string, string>; parameters: Grant }> {
    const clientId = authMode === "JwtBearer" ? optionalMember(material, "clientId") : member(material, "clientId");
    if (clientId === undefined) return { headers: {}, parameters: {} };
    if (oauth2.clientAuthentication === "none") return { headers: {}, parameters: { client_id: clientId } };
    if (oauth2.clientAuthentication === "private_key_jwt") {
      const audience = optionalMember(material, "audience") ?? url.href;
      const assertion = await signedAssertion(material, {
        issuer: clientId,
        subject: clientId,
        audience,
        now: this.#options.clock(),
      });
      const parameters = {
        client_id: clientId,
        client_assertion_type: clientAssertionType,
        client_assertion: assertion,
      };
      return { headers: {}, parameters };
    }
    const secret = member(material, "clientSecret");
    if (oauth2.clientAuthentication === "client_secret_post")
      return { headers: {}, parameters: { client_id: clientId, client_secret: secret } };
    const login = Buffer.from(`${formEncoded(clientId)}:${formEncoded(secret)}`).toString("base64");
    return { headers: { authorization: headerValue(`Basic ${login}`) }, parameters: {} };
  }
}

const formEncoded = (value: string): string => new URLSearchParams({ "": value }).toString().slice(1);

function requireOAuth2({ driver }: ProviderRecord): OAuth2Description {
  if (!driver.oauth2)
    throw new DomainError("VALIDATION_FAILED", {
      detail: "The provider has no token endpoint. Add oauth2 to its driver, then try again.",
    });
  return driver.oauth2;
}
