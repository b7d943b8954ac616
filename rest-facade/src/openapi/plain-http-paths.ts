import { deliveryPaths } from "./delivery-paths.js";
import { ofrepPaths } from "./ofrep-paths.js";
import { badRequestContent, passedOnRefusals } from "./refusals.js";
import { reportContentPaths } from "./report-content-paths.js";
import { securityOf } from "./security.js";
import { signInPaths } from "./sign-in-paths.js";

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";

/** Token exchange for agents (RFC 8693). */
const exchangeParameters = {
  subject_token: { type: "string", description: "An access token of the person or client for whom the agent acts." },
  subject_token_type: { type: "string", enum: tokenTypes() },
  agent_task_id: {
    type: "string",
    minLength: 1,
    maxLength: 200,
    description: "The task for which the token is valid.",
  },
  requested_token_type: { type: "string", enum: tokenTypes() },
  audience: { type: "string", description: "The issuer. No other value is allowed. It may be left out." },
  resource: { type: "string", description: "The issuer. No other value is allowed. It may be left out." },
} as const;

const clientCredentials = {
  client_id: { type: "string" },
  client_secret: { type: "string" },
  client_assertion: {
    type: "string",
    description:
      "A JWT that is signed with a key of the client (RFC 7523) and replaces the secret. iss and sub are the client id. aud is the issuer or the token endpoint, and only one of them. exp is at most five minutes in the future. jti was never used before.",
  },
  client_assertion_type: { type: "string", const: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" },
};
const tokenMembers = {
  token: { type: "string" },
  token_type_hint: { type: "string", enum: ["access_token", "refresh_token"] },
  ...clientCredentials,
};
/** The listener refuses a request without a Host header with a problem, before the authorization server sees it. */
const badRequest = {
  description: "The request is refused (RFC 6749 section 5.2).",
  content: { "application/json": { schema: oauthError() }, ...badRequestContent },
};
const clientRefusals = {
  ...passedOnRefusals(),
  "400": badRequest,
  "401": refused("The client could not be authenticated."),
  "403": refused("The tenant of a token in the form does not exist."),
  "413": refused("The body is larger than 1 MiB."),
  "429": refused("Too many requests or failures of this client or address. Wait for the time in `Retry-After`."),
  "500": refused("The platform has a bug. Its log has the cause under the traceId."),
  "503": refused("The platform or its database cannot serve the request now. Wait for the time in `Retry-After`."),
};

/**
 * The spine's endpoints that run no GraphQL operation. They are described by hand, since OAuth and OFREP define their
 * bodies.
 */
export const plainHttpPaths: Record<string, Record<string, Record<string, unknown>>> = {
  "/connect/token": {
    post: {
      operationId: "token",
      tags: ["authorization"],
      summary: "Get an access token",
      description:
        "A client authenticates by the method for which it was created: HTTP Basic, client_id and client_secret in the form, or client_assertion and client_assertion_type. The grant type decides which of the other members are needed. The grant type password is deprecated, and only first-party clients may use it.",
      security: [],
      requestBody: form(["grant_type"], {
        grant_type: {
          type: "string",
          enum: ["client_credentials", "authorization_code", "password", "refresh_token", tokenExchange],
        },
        scope: {
          type: "string",
          description: "Scopes separated by spaces. Without it the token has all scopes that are allowed.",
        },
        ...clientCredentials,
        username: { type: "string", description: "E-mail address." },
        password: { type: "string" },
        tenant: {
          type: "string",
          description: "The slug or the id of the tenant. Needed only if the user belongs to several tenants.",
        },
        refresh_token: {
          type: "string",
          description: "A refresh token can be used once. The answer contains the next one.",
        },
        code: { type: "string" },
        redirect_uri: { type: "string", format: "uri" },
        code_verifier: { type: "string" },
        ...exchangeParameters,
      }),
      responses: {
        "200": json("A token.", {
          type: "object",
          required: ["access_token", "token_type", "expires_in"],
          properties: {
            access_token: { type: "string" },
            token_type: { type: "string", const: "Bearer" },
            expires_in: { type: "integer" },
            scope: { type: "string" },
            refresh_token: { type: "string" },
            id_token: { type: "string" },
            issued_token_type: { type: "string", description: "Present only in the answer to a token exchange." },
          },
        }),
        ...clientRefusals,
      },
    },
  },
  "/connect/revocation": {
    post: {
      operationId: "revokeToken",
      tags: ["authorization"],
      summary: "Revoke a token",
      description:
        "Revokes a token (RFC 7009). Only the client to which it was issued can revoke it. A revoked refresh token ends every token of its sign-in.",
      security: [],
      requestBody: form(["token"], tokenMembers),
      responses: {
        "200": { description: "The token is revoked, or it was not a token of this client." },
        ...clientRefusals,
      },
    },
  },
  "/connect/introspect": {
    post: {
      operationId: "introspectToken",
      tags: ["authorization"],
      summary: "Introspect a token (RFC 7662)",
      description:
        "Token introspection (RFC 7662) for clients with a secret or a key. A token of another tenant counts as inactive.",
      security: [],
      requestBody: form(["token"], tokenMembers),
      responses: {
        "200": json("The claims of an active token; for any other token only `active: false`.", {
          type: "object",
          required: ["active"],
          properties: {
            active: { type: "boolean" },
            sub: { type: "string" },
            client_id: { type: "string" },
            scope: { type: "string" },
            exp: { type: "integer" },
            tenantId: { type: "string" },
          },
        }),
        ...clientRefusals,
      },
    },
  },
  "/connect/userinfo": {
    get: userinfo("userinfo", "Get the claims of the signed-in user"),
    post: userinfo("userinfoByPost", "Get the claims of the signed-in user by POST"),
  },
  "/.well-known/openid-configuration": {
    get: {
      operationId: "openidConfiguration",
      tags: ["authorization"],
      summary: "Discovery document",
      description: "OpenID Connect Discovery 1.0: addresses, grants and algorithms of this authorization server.",
      security: [],
      responses: {
        "200": {
          description: "OpenID provider metadata.",
          content: { "application/json": { schema: { type: "object" } } },
        },
        ...passedOnRefusals(),
      },
    },
  },
  "/.well-known/jwks": {
    get: {
      operationId: "jwks",
      tags: ["authorization"],
      summary: "Keys that sign access tokens",
      description:
        "The JSON Web Key Set (RFC 7517). It contains a key before the first token is signed with it, and until the last of these tokens has expired.",
      security: [],
      responses: {
        "200": {
          description: "A JSON Web Key Set.",
          content: {
            "application/jwk-set+json": {
              schema: {
                type: "object",
                required: ["keys"],
                properties: { keys: { type: "array", items: { type: "object" } } },
              },
            },
          },
        },
        ...passedOnRefusals(),
      },
    },
  },
  ...signInPaths,
  ...deliveryPaths,
  ...ofrepPaths,
  ...reportContentPaths,
};

function userinfo(operationId: string, summary: string) {
  return {
    operationId,
    tags: ["authorization"],
    summary,
    description:
      "The UserInfo endpoint (OpenID Connect Core 1.0 section 5.3). It needs an access token of a user whose sign-in asked for the scope `openid`. The scope `email` adds `email_verified`. Errors are in the header `WWW-Authenticate` (RFC 6750).",
    // the sign-in's scope `openid` is required, but it is not an API scope, so no scope is listed
    security: securityOf([]),
    responses: {
      "200": json("The claims of the user.", {
        type: "object",
        required: ["sub", "email", "tenantId", "tenantSlug"],
        properties: {
          sub: { type: "string" },
          email: { type: "string" },
          email_verified: {
            type: "boolean",
            description: "Whether the user has used a link that was mailed to this address.",
          },
          name: { type: "string" },
          tenantId: { type: "string" },
          tenantSlug: { type: "string" },
        },
      }),
      ...passedOnRefusals(),
      "401": refused("The token is missing or not valid.", bearerError()),
      "403": refused("The sign-in of this token did not ask for `openid`.", bearerError()),
      "429": refused("Too many requests from one address. Wait for the time in `Retry-After`."),
      "503": refused("The platform or its database cannot serve the request now."),
    },
  };
}

function tokenTypes() {
  return ["access_token", "jwt"].map((name) => `urn:ietf:params:oauth:token-type:${name}`);
}

function oauthError() {
  return {
    type: "object",
    required: ["error"],
    properties: {
      error: { type: "string" },
      error_description: { type: "string" },
      code: { type: "string" },
      traceId: { type: "string" },
      approval_id: { type: "string", description: "Present with the errors approval_required and access_denied." },
    },
  };
}

/** A refusal without a token has no `error` (RFC 6750 section 3.1). */
function bearerError() {
  return { ...oauthError(), required: [] };
}

function refused(description: string, schema: object = oauthError()) {
  return {
    description,
    headers: {
      "www-authenticate": { description: "The challenge (RFC 9110 section 11.6.1).", schema: { type: "string" } },
      "retry-after": { description: "The seconds to wait.", schema: { type: "string" } },
    },
    content: { "application/json": { schema } },
  };
}

function json(description: string, schema: object) {
  return { description, content: { "application/json": { schema } } };
}

function form(requiredMembers: readonly string[], properties: Record<string, object>) {
  const schema = { type: "object", required: requiredMembers, properties };
  return { required: true, content: { "application/x-www-form-urlencoded": { schema } } };
}
