import { DomainError, type FieldError } from "@factory/runtime/errors/domain-error";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { scopes as allScopes, platformScopes, tenantScopes } from "@factory/schema/scopes";
import { type GrantType, grantTypes, isGrantType, tokenExchange } from "./grant-types.js";
import type { CreateApiClientInput } from "./oauth-client.input.js";
import { checkKeySet, type PublicKeySet } from "./public-keys.js";
import { redirectUriProblem } from "./redirect-uri.js";

const principalTypes = ["Service", "Agent"] as const;

export interface CheckedClient {
  readonly name: string;
  readonly scopes: string[];
  readonly grantTypes: GrantType[];
  readonly principalType: (typeof principalTypes)[number];
  readonly redirectUris: string[];
  readonly firstParty: boolean;
  readonly isPublic: boolean;
  readonly jwks: PublicKeySet | null;
}

/** Closed sets and what does not go together are content, not shape: 422, with a pointer to each refused value. */
export function checkClient(input: CreateApiClientInput, tenantId: string): CheckedClient {
  const principalType = principalTypes.find((type) => type === (input.principalType ?? "Service"));
  const unknown = [
    ...unknownScopes(input.scopes, scopesOf(input, tenantId)),
    ...unknownGrants(input.grantTypes ?? []),
    ...(principalType ? [] : [unknownValue("/input/principalType", `Must be one of ${principalTypes.join(", ")}.`)]),
  ];
  if (unknown.length > 0 || !principalType)
    throw new DomainError("REFERENCE_NOT_FOUND", {
      detail: "The input names something that does not exist.",
      errors: unknown,
    });
  const keys = input.jwks == null ? undefined : checkKeySet(input.jwks);
  const client = {
    name: input.name,
    scopes: [...new Set(input.scopes)],
    grantTypes: [...new Set(input.grantTypes ?? ["client_credentials"])].filter(isGrantType),
    principalType,
    redirectUris: [...new Set(input.redirectUris ?? [])],
    firstParty: input.firstParty ?? false,
    isPublic: input.public ?? false,
    jwks: keys?.keySet ?? null,
  };
  const errors = [...redirectUriErrors(client.redirectUris), ...(keys?.errors ?? []), ...contradictions(client)];
  if (errors.length > 0)
    throw new DomainError("API_CLIENT_INVALID", { detail: "Such a client would not be safe, or of no use.", errors });
  return client;
}

export function redirectUriErrors(uris: readonly string[]): FieldError[] {
  return uris.flatMap((uri, index) => {
    const detail = redirectUriProblem(uri);
    return detail === undefined ? [] : [{ pointer: `/input/redirectUris/${index}`, code: "FORMAT", detail }];
  });
}

/** The platform's scopes are for people who sign in at a client of its own; a service would hold them without roles. */
function scopesOf({ firstParty, grantTypes: asked }: CreateApiClientInput, tenantId: string): readonly string[] {
  const forPeople = asked != null && !asked.includes("client_credentials");
  return tenantId === platformTenantId && firstParty === true && forPeople ? allScopes : tenantScopes;
}

function unknownScopes(asked: readonly string[], allowed: readonly string[]): FieldError[] {
  return asked.flatMap((scope, index) => {
    if (allowed.includes(scope)) return [];
    const whose = platformScopes.some((known) => known === scope) ? "the platform's" : "no scope";
    return [unknownValue(`/input/scopes/${index}`, `${scope} is ${whose}, not a tenant's.`)];
  });
}

function unknownGrants(asked: readonly string[]): FieldError[] {
  return asked.flatMap((name, index) =>
    isGrantType(name) ? [] : [unknownValue(`/input/grantTypes/${index}`, `Must be one of ${grantTypes.join(", ")}.`)],
  );
}

function contradictions(client: CheckedClient): FieldError[] {
  const has = (grantType: GrantType) => client.grantTypes.includes(grantType);
  const forPeople = has("authorization_code") || has("password");
  const agent = client.principalType === "Agent";
  const rules: [boolean, string, string, string][] = [
    [
      has("authorization_code") && client.redirectUris.length === 0,
      "/input/redirectUris",
      "REQUIRED",
      "authorization_code needs an address to return to.",
    ],
    [
      !has("authorization_code") && client.redirectUris.length > 0,
      "/input/redirectUris",
      "UNKNOWN_VALUE",
      "Only authorization_code returns to an address.",
    ],
    [
      has("password") && (!client.firstParty || client.isPublic),
      "/input/grantTypes",
      "UNKNOWN_VALUE",
      "password is for first-party clients with a secret (RFC 9700 section 2.4).",
    ],
    [
      has("refresh_token") && !forPeople,
      "/input/grantTypes",
      "UNKNOWN_VALUE",
      "refresh_token goes with authorization_code or password.",
    ],
    [
      client.isPublic && (has("client_credentials") || has(tokenExchange)),
      "/input/grantTypes",
      "UNKNOWN_VALUE",
      "A public client cannot prove who it is.",
    ],
    [
      client.isPublic && client.jwks !== null,
      "/input/jwks",
      "UNKNOWN_VALUE",
      "A public client keeps no secret, so no private key either.",
    ],
    [
      has(tokenExchange) && !agent,
      "/input/grantTypes",
      "UNKNOWN_VALUE",
      "Token exchange is how agents act for others, and for agents alone.",
    ],
    [agent && forPeople, "/input/principalType", "UNKNOWN_VALUE", "People do not sign in at an agent."],
  ];
  return rules.flatMap(([broken, pointer, code, detail]) => (broken ? [{ pointer, code, detail }] : []));
}

function unknownValue(pointer: string, detail: string): FieldError {
  return { pointer, code: "UNKNOWN_VALUE", detail };
}
