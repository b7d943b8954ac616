import { signInPaths } from "./sign-in-paths.js";

const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";

/** RFC 8693, for agents. */
const exchangeParameters = {
  subject_token: { type: "string", description: "An access token of whom the agent acts for." },
  subject_token_type: { type: "string", enum: tokenTypes() },
  agent_task_id: { type: "string", minLength: 1, maxLength: 200, description: "The one task the token is for." },
  requested_token_type: { type: "string", enum: tokenTypes() },
  audience: { type: "string", description: "The issuer, or absent." },
  resource: { type: "string", description: "The issuer, or absent." },
} as const;

/** Endpoints of the spine that are plain HTTP, described by hand: OAuth defines their bodies, no operation does. */
export const plainHttpPaths: Record<string, Record<string, Record<string, unknown>>> = {
  "/connect/token": {
    post: {
      operationId: "token",
      tags: ["authorization"],
      summary: "Get an access token",
      description: "Client authentication by HTTP Basic, or by client_id and client_secret in the form.",
      security: [],
      requestBody: {
        required: true,
        content: {
          "application/x-www-form-urlencoded": {
            schema: {
              type: "object",
              required: ["grant_type"],
              properties: {
                grant_type: {
                  type: "string",
                  enum: ["client_credentials", "authorization_code", "password", "refresh_token", tokenExchange],
                },
                scope: { type: "string" },
                client_id: { type: "string" },
                client_secret: { type: "string" },
                username: { type: "string" },
                password: { type: "string" },
                refresh_token: { type: "string" },
                code: { type: "string" },
                code_verifier: { type: "string" },
                redirect_uri: { type: "string", format: "uri" },
                ...exchangeParameters,
              },
            },
          },
        },
      },
      responses: {
        "200": {
          description: "A token.",
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["access_token", "token_type", "expires_in"],
                properties: {
                  access_token: { type: "string" },
                  token_type: { type: "string", const: "Bearer" },
                  expires_in: { type: "integer" },
                  scope: { type: "string" },
                  refresh_token: { type: "string" },
                  issued_token_type: { type: "string", description: "Of a token exchange." },
                },
              },
            },
          },
        },
        "400": {
          description: "Refused (RFC 6749 section 5.2).",
          content: { "application/json": { schema: oauthError() } },
        },
        "401": {
          description: "The client could not be authenticated.",
          content: { "application/json": { schema: oauthError() } },
        },
      },
    },
  },
  ...signInPaths,
  "/.well-known/openid-configuration": {
    get: {
      operationId: "openidConfiguration",
      tags: ["authorization"],
      summary: "Discovery document",
      security: [],
      responses: {
        "200": {
          description: "OpenID provider metadata.",
          content: { "application/json": { schema: { type: "object" } } },
        },
      },
    },
  },
  "/.well-known/jwks": {
    get: {
      operationId: "jwks",
      tags: ["authorization"],
      summary: "Keys that sign access tokens",
      security: [],
      responses: {
        "200": {
          description: "A JSON Web Key Set.",
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["keys"],
                properties: { keys: { type: "array", items: { type: "object" } } },
              },
            },
          },
        },
      },
    },
  },
};

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
      approval_id: { type: "string", description: "With approval_required and access_denied." },
    },
  };
}
