import { authenticationLevels } from "@factory/schema/authentication-levels";
import { identityScopes, scopes } from "@factory/schema/scopes";
import { keyAlgorithms } from "../../oauth-clients/public-keys.js";
import { servedGrantTypes, tokenPath } from "./provider/oidc-provider.js";
import { authorizePath } from "./sign-in/authorize-settings.js";
import { signOutPath } from "./sign-in/sign-out.js";
import { revocationPath } from "./tokens/revoke-token.js";
import { introspectionPath } from "./tokens/token-introspection.js";
import { userinfoPath } from "./tokens/userinfo-endpoint.js";

const authenticationMethods = ["client_secret_basic", "client_secret_post", "private_key_jwt"];

/** Where the public signing keys are served (RFC 7517). */
export const jwksPath = "/.well-known/jwks";

/**
 * OpenID Connect Discovery 1.0 and RFC 8414 in one document. It is built from the issuer; oidc-provider would take the
 * addresses from the Host header.
 */
export function discoveryDocument(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}${authorizePath}`,
    end_session_endpoint: `${issuer}${signOutPath}`,
    token_endpoint: `${issuer}${tokenPath}`,
    userinfo_endpoint: `${issuer}${userinfoPath}`,
    revocation_endpoint: `${issuer}${revocationPath}`,
    introspection_endpoint: `${issuer}${introspectionPath}`,
    jwks_uri: `${issuer}${jwksPath}`,
    grant_types_supported: servedGrantTypes,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    prompt_values_supported: ["none", "login", "consent"],
    acr_values_supported: authenticationLevels,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
    token_endpoint_auth_methods_supported: [...authenticationMethods, "none"],
    token_endpoint_auth_signing_alg_values_supported: keyAlgorithms,
    revocation_endpoint_auth_methods_supported: [...authenticationMethods, "none"],
    revocation_endpoint_auth_signing_alg_values_supported: keyAlgorithms,
    introspection_endpoint_auth_methods_supported: authenticationMethods,
    introspection_endpoint_auth_signing_alg_values_supported: keyAlgorithms,
    scopes_supported: [...identityScopes, ...scopes],
    claims_supported: [
      ...["iss", "aud", "sub", "client_id", "iat", "nbf", "exp", "jti", "scope", "nonce", "auth_time", "acr", "amr"],
      ...["email", "email_verified", "name"],
      ...["tenantId", "tenantSlug", "editionCode", "principalType", "roles", "platformAdmin", "versions", "grantId"],
      ...["agentTaskId", "approvalId", "publishApproval", "withheldScopes", "act", "firstParty"],
    ],
  };
}
