const rateLimitAnswer = {
  "429": {
    description: "An error page: too many requests come from one address. Wait for the time in `Retry-After`.",
    content: { "text/html": {} },
  },
};

const otherPage = {
  default: { description: "An error page that describes the problem.", content: { "text/html": {} } },
};

/** The endpoints to which a browser is redirected for a sign-in. They answer with HTML pages. */
export const signInPaths = {
  "/connect/authorize": {
    get: {
      operationId: "authorize",
      tags: ["authorization"],
      summary: "Sign in with a browser",
      description:
        "The authorization endpoint for the authorization code flow with PKCE. It shows HTML pages and finally redirects to the client.",
      security: [],
      parameters: [
        query("client_id"),
        query("response_type", { const: "code" }),
        query("redirect_uri", { format: "uri" }),
        query("code_challenge"),
        query("code_challenge_method", { const: "S256" }),
        query(
          "scope",
          {
            description:
              "Scopes separated by spaces: those of the API that the client has, and openid, profile, email and offline_access. With openid, unknown scopes without a dot are ignored. Without this parameter, all scopes of the client.",
          },
          false,
        ),
        ...["state", "nonce", "prompt", "max_age", "login_hint"].map((name) => query(name, {}, false)),
        query("tenant", { description: "The slug or the id of the tenant to sign in to." }, false),
      ],
      responses: {
        "303": {
          description:
            "Redirects to the sign-in page, or back to the client with `code` or `error`, `state` and `iss`.",
        },
        "400": {
          description: "An error page: the client is not known, or the redirect URI is not registered for it.",
          content: { "text/html": {} },
        },
        ...rateLimitAnswer,
        ...otherPage,
      },
    },
    post: {
      operationId: "authorizeByForm",
      tags: ["authorization"],
      summary: "Begin a sign-in with the parameters in a form",
      description:
        "OpenID Connect Core 1.0 section 3.1.2.1 also allows POST. The request is redirected to the same address as a GET.",
      security: [],
      requestBody: {
        required: true,
        content: { "application/x-www-form-urlencoded": { schema: { type: "object" } } },
      },
      responses: {
        "303": { description: "Redirects to the same address with the parameters in its query." },
        "400": {
          description: "An error page: the body is not a form, or it is too long to be sent as a query.",
          content: { "text/html": {} },
        },
        ...rateLimitAnswer,
        ...otherPage,
      },
    },
  },
  "/connect/logout": {
    get: {
      operationId: "signOut",
      tags: ["authorization"],
      summary: "End the session of this browser",
      description: "Shows a page that asks the user for a confirmation. Tokens that were issued before stay valid.",
      security: [],
      parameters: ["client_id", "id_token_hint", "post_logout_redirect_uri", "state"].map((name) =>
        query(name, {}, false),
      ),
      responses: {
        "200": { description: "The page that asks for a confirmation.", content: { "text/html": {} } },
        "303": { description: "Redirects to the address of the client, if the browser has no session." },
        ...rateLimitAnswer,
      },
    },
  },
};

function query(name: string, schema: Record<string, unknown> = {}, isRequired = true) {
  return { name, in: "query", required: isRequired, schema: { type: "string", ...schema } };
}
