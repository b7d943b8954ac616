import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import {
  scopes as allScopes,
  type IdentityScope,
  identityScopes,
  isIdentityScope,
  platformScopes,
  tenantScopes,
} from "@factory/schema/scopes";
import { type ApiClientPrincipalType, clientPrincipalTypes } from "@factory/schema/vocabularies/people";
import { isValueOf } from "@factory/schema/vocabularies/vocabulary";
import { type GrantType, grantTypes, isGrantType, tokenExchange } from "./grant-types.js";
import type { CreateApiClientInput } from "./oauth-client.input.js";
import { checkKeySet, type PublicKeySet } from "./public-keys.js";
import { redirectUriProblem } from "./redirect-uri.js";

/** The input for a new client with its defaults, without contradictions. */
export interface CheckedClient {
  readonly name: string;
  /** The API scopes, which are rights. */
  readonly scopes: string[];
  readonly identityScopes: IdentityScope[];
  readonly grantTypes: GrantType[];
  readonly principalType: ApiClientPrincipalType;
  readonly redirectUris: string[];
  readonly firstParty: boolean;
  readonly isPublic: boolean;
  readonly jwks: PublicKeySet | null;
}

/**
 * Checks the input for a new client of this tenant. Throws `REFERENCE_NOT_FOUND` for unknown values, and
 * `API_CLIENT_INVALID` for values that contradict each other, with a pointer to each one.
 */
export function checkClient(input: CreateApiClientInput, tenantId: string): CheckedClient {
  const unknown = [...unknownScopes(input.scopes, scopesOf(input, tenantId)), ...unknownGrants(input.grantTypes ?? [])];
  if (unknown.length > 0)
    throw new DomainError("REFERENCE_NOT_FOUND", {
      detail: "The input has values that are not known. Correct the members in errors.",
      errors: unknown,
    });
  const keys = input.jwks == null ? undefined : checkKeySet(input.jwks);
  const client = {
    name: input.name,
    scopes: [...new Set(input.scopes)].filter((scope) => !isIdentityScope(scope)),
    identityScopes: identityScopes.filter((scope) => input.scopes.includes(scope)),
    grantTypes: [...new Set(input.grantTypes ?? ["client_credentials"])].filter(isGrantType),
    principalType: isValueOf(clientPrincipalTypes, input.principalType) ? input.principalType : "Service",
    redirectUris: [...new Set(input.redirectUris ?? [])],
    firstParty: input.firstParty ?? false,
    isPublic: input.public ?? false,
    jwks: keys?.keySet ?? null,
  };
  const errors = [
    ...redirectUriErrors(client.redirectUris),
    ...(keys?.errors ?? []),
    ...contradictionErrors(client),
    ...identityErrors(client),
  ];
  if (errors.length > 0)
    throw new DomainError("API_CLIENT_INVALID", {
      detail: "The client would not be safe, or could not be used. Correct the members in errors.",
      errors,
    });
  return client;
}

/** One error for each URI that is not allowed as a redirect URI. */
export function redirectUriErrors(uris: readonly string[]): FieldError[] {
  return uris.flatMap((uri, index) => {
    const detail = redirectUriProblem(uri);
    return detail === undefined ? [] : [{ pointer: `/input/redirectUris/${index}`, code: "FORMAT", detail }];
  });
}

/**
 * The scopes that a new client may have. Platform scopes are only for first-party clients where users sign in: a service
 * would hold them without any role.
 */
function scopesOf(
  { firstParty, grantTypes: requestedGrants }: CreateApiClientInput,
  tenantId: string,
): readonly string[] {
  const forPeople = requestedGrants != null && !requestedGrants.includes("client_credentials");
  return tenantId === platformTenantId && firstParty === true && forPeople ? allScopes : tenantScopes;
}

function unknownScopes(requestedScopes: readonly string[], allowedScopes: readonly string[]): FieldError[] {
  return requestedScopes.flatMap((scope, index) => {
    if (allowedScopes.includes(scope) || isIdentityScope(scope)) return [];
    const detail = platformScopes.some((platformScope) => platformScope === scope)
      ? `The scope ${scope} is for clients of the platform. Clients of a tenant cannot have it.`
      : `The scope ${scope} does not exist.`;
    return [unknownValue(`/input/scopes/${index}`, detail)];
  });
}

function unknownGrants(requestedGrants: readonly string[]): FieldError[] {
  return requestedGrants.flatMap((name, index) =>
    isGrantType(name) ? [] : [unknownValue(`/input/grantTypes/${index}`, `Must be one of ${grantTypes.join(", ")}.`)],
  );
}

function contradictionErrors(client: CheckedClient): FieldError[] {
  const has = (grantType: GrantType) => client.grantTypes.includes(grantType);
  const forPeople = has("authorization_code") || has("password");
  const agent = client.principalType === "Agent";
  const rules: [boolean, string, string, string][] = [
    [
      has("authorization_code") && client.redirectUris.length === 0,
      "/input/redirectUris",
      "REQUIRED",
      "The grant type authorization_code needs at least one redirect URI.",
    ],
    [
      !has("authorization_code") && client.redirectUris.length > 0,
      "/input/redirectUris",
      "UNKNOWN_VALUE",
      "Only clients with the grant type authorization_code have redirect URIs.",
    ],
    [
      has("password") && (!client.firstParty || client.isPublic),
      "/input/grantTypes",
      "UNKNOWN_VALUE",
      "The grant type password is only for first-party clients with a secret (RFC 9700 section 2.4).",
    ],
    [
      has("refresh_token") && !forPeople,
      "/input/grantTypes",
      "UNKNOWN_VALUE",
      "The grant type refresh_token needs authorization_code or password beside it.",
    ],
    [
      client.isPublic && (has("client_credentials") || has(tokenExchange)),
      "/input/grantTypes",
      "UNKNOWN_VALUE",
      "A public client cannot authenticate, so it cannot use client_credentials or token exchange.",
    ],
    [
      client.isPublic && client.jwks !== null,
      "/input/jwks",
      "UNKNOWN_VALUE",
      "A public client cannot keep a private key. Leave out public or jwks.",
    ],
    [
      has(tokenExchange) && !agent,
      "/input/grantTypes",
      "UNKNOWN_VALUE",
      "Token exchange is only for clients with the principal type Agent.",
    ],
    [
      agent && forPeople,
      "/input/principalType",
      "UNKNOWN_VALUE",
      "Users do not sign in at an agent. Leave out authorization_code and password, or use the principal type Service.",
    ],
  ];
  return rules.flatMap(([isBroken, pointer, code, detail]) => (isBroken ? [{ pointer, code, detail }] : []));
}

/** Errors in clients at which people sign in. Only the authorization endpoint gives identity scopes. */
function identityErrors({ scopes, identityScopes: identity, grantTypes: grants }: CheckedClient): FieldError[] {
  const rules: [boolean, string, string, string][] = [
    [
      identity.length > 0 && !identity.includes("openid"),
      "/input/scopes",
      "REQUIRED",
      "The scopes profile, email and offline_access need the scope openid beside them.",
    ],
    [
      identity.length > 0 && !grants.includes("authorization_code"),
      "/input/grantTypes",
      "REQUIRED",
      "The scopes openid, profile, email and offline_access need the grant type authorization_code.",
    ],
    [
      identity.includes("offline_access") && !grants.includes("refresh_token"),
      "/input/grantTypes",
      "REQUIRED",
      "The scope offline_access needs the grant type refresh_token.",
    ],
    [
      scopes.length === 0 && grants.some((grant) => grant !== "authorization_code" && grant !== "refresh_token"),
      "/input/scopes",
      "REQUIRED",
      "Only authorization_code and refresh_token give tokens without a scope of the API. Name at least one such scope.",
    ],
  ];
  return rules.flatMap(([isBroken, pointer, code, detail]) => (isBroken ? [{ pointer, code, detail }] : []));
}

function unknownValue(pointer: string, detail: string): FieldError {
  return { pointer, code: "UNKNOWN_VALUE", detail };
}
