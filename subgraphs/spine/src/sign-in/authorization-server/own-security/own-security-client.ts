import { randomBytes } from "node:crypto";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { secretDigest } from "../../../oauth-clients/client-secret.js";
import { platformTenantSlug } from "../../../tenants/tenants/platform-tenant.js";
import { ownSecurityPath } from "../../second-factors/kinds/own-security-path.js";
import { firstVersions, type RegisteredClient } from "../client-authentication/registered-client.js";

/** The ID for the client that stands for this page. It is not stored, and no stored client can have it. */
export const ownSecurityClientId = "own-security";

/** After so many seconds the page asks for a new sign-in. */
export const recentSignInSeconds = 900;

/**
 * The client at which people sign in for the page. The page uses the sign-in's session and never redeems the code: no
 * secret matches the client's, and the page asks for no scope but `openid`.
 */
export const ownSecurityClient = (issuer: string): RegisteredClient => ({
  clientId: ownSecurityClientId,
  name: "Your security",
  secretDigest: secretDigest(randomBytes(32).toString("hex")),
  scopes: [],
  identityScopes: [],
  grantTypes: ["authorization_code"],
  principalType: "Service",
  platformAdmin: false,
  redirectUris: [`${issuer}${ownSecurityPath}`],
  firstParty: true,
  isPublic: false,
  jwks: null,
  versions: firstVersions,
  tenantId: platformTenantId,
  tenantSlug: platformTenantSlug,
  tenantStatus: "Active",
  editionCode: "Standard",
});

/** The authorization request with which a person comes to the page. `acrValues`: the level that the sign-in has to reach. */
export function signInAddress(authorizeAddress: string, redirectUri: string, acrValues: string | undefined): string {
  const parameters = new URLSearchParams({
    client_id: ownSecurityClientId,
    response_type: "code",
    scope: "openid",
    redirect_uri: redirectUri,
    // the code is never redeemed, so nobody knows the verifier
    code_challenge: randomBytes(32).toString("base64url"),
    code_challenge_method: "S256",
    // less than the page allows, so that a session which is too old for the page is never good enough here
    max_age: String(recentSignInSeconds - 60),
    ...(acrValues === undefined ? {} : { acr_values: acrValues }),
  });
  return `${authorizeAddress}?${parameters.toString()}`;
}
