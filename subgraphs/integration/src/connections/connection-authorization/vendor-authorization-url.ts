import { hash } from "node:crypto";
import type { OAuth2Description } from "../../providers/provider-drivers/provider-driver.js";
import type { ConnectionRecord } from "../connections/connection.view.js";
import { vendorUrl } from "../vendor-calls/vendor-url.js";

interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  /** The PKCE verifier (RFC 7636). Its SHA-256 is sent. */
  readonly verifier: string;
}

/** The URL for the vendor's page; undefined when the driver names none. */
export function authorizationPage(
  oauth2: OAuth2Description | undefined,
  { configuration }: Pick<ConnectionRecord, "configuration">,
): URL | undefined {
  return oauth2?.authorizationUrl === undefined ? undefined : vendorUrl(oauth2.authorizationUrl, configuration);
}

/** The host that serves the vendor's token endpoint. */
export function tokenHost(
  { tokenUrl }: OAuth2Description,
  { configuration }: Pick<ConnectionRecord, "configuration">,
): string {
  return vendorUrl(tokenUrl, configuration).host;
}

/**
 * The authorization request (RFC 6749, section 4.1.1) with PKCE. The driver cannot replace the platform's parameters.
 */
export function authorizationRequest(page: URL, oauth2: OAuth2Description, request: AuthorizationRequest): URL {
  const url = new URL(page);
  const { scopes = [], scopeSeparator = " ", audience, authorizationParameters = {} } = oauth2;
  const parameters = {
    ...(audience === undefined ? {} : { audience }),
    ...authorizationParameters,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(scopeSeparator) }),
    response_type: "code",
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    state: request.state,
    code_challenge: hash("sha256", request.verifier, "base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}
