const limited = {
  "429": {
    description: "A page: too many requests from one address; `Retry-After` says until when.",
    content: { "text/html": {} },
  },
};

const otherPage = {
  default: { description: "A page that says what went wrong.", content: { "text/html": {} } },
};

/** The endpoints to which a browser is redirected for a sign-in. They answer with HTML pages. */
export const signInPaths = {
  "/connect/authorize": {
    get: {
      operationId: "authorize",
      tags: ["authorization"],
      summary: "Sign in with a browser",
      description: "Authorization code with PKCE. Answers with pages, and at the end with a redirect to the client.",
      security: [],
      parameters: [
        query("client_id"),
        query("response_type", { const: "code" }),
        query("redirect_uri", { format: "uri" }),
        query("code_challenge"),
        query("code_challenge_method", { const: "S256" }),
        ...["scope", "state", "nonce", "prompt", "max_age", "login_hint"].map((name) => query(name, {}, false)),
        query("tenant", { description: "Slug or id of the organization to sign in to." }, false),
      ],
      responses: {
        "303": { description: "To the sign-in page, or back to the client with `code` or `error`, `state` and `iss`." },
        "400": { description: "A page: the client or its address is not known.", content: { "text/html": {} } },
        ...limited,
        ...otherPage,
      },
    },
    post: {
      operationId: "authorizeByForm",
      tags: ["authorization"],
      summary: "Begin a sign-in with the parameters in a form",
      description: "OpenID Connect Core 1.0 section 3.1.2.1 lets clients use POST as well; it goes on as a GET.",
      security: [],
      requestBody: {
        required: true,
        content: { "application/x-www-form-urlencoded": { schema: { type: "object" } } },
      },
      responses: {
        "303": { description: "To the same address, with the parameters in its query." },
        "400": {
          description: "An error page: the body is not a form, or too long to become an address.",
          content: { "text/html": {} },
        },
        ...limited,
        ...otherPage,
      },
    },
  },
  "/connect/logout": {
    get: {
      operationId: "signOut",
      tags: ["authorization"],
      summary: "End the session of this browser",
      description: "A page asks first. Tokens live on.",
      security: [],
      parameters: ["client_id", "id_token_hint", "post_logout_redirect_uri", "state"].map((name) =>
        query(name, {}, false),
      ),
      responses: {
        "200": { description: "A page.", content: { "text/html": {} } },
        "303": { description: "Redirects to the address of the client, if the browser has no session." },
        ...limited,
      },
    },
  },
};

function query(name: string, schema: Record<string, unknown> = {}, required = true) {
  return { name, in: "query", required, schema: { type: "string", ...schema } };
}
