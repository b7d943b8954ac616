import { passedOnRefusals } from "./refusals.js";

const page = { "text/html": {} };

const rateLimitAnswer = {
  ...passedOnRefusals(["408", "414", "417", "431"]),
  "429": {
    description: "An error page: too many requests come from one address. Wait for the time in `Retry-After`.",
    content: page,
  },
};

const otherPage = {
  default: { description: "An error page that describes the problem.", content: page },
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
        "303": redirect(
          "Redirects to the sign-in page, or back to the client with `code` or `error`, `state` and `iss`.",
        ),
        "400": {
          description: "An error page: the client is not known, or the redirect URI is not registered for it.",
          content: page,
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
        "303": redirect("Redirects to the same address with the parameters in its query."),
        "400": {
          description: "An error page: the body is not a form, or it is too long to be sent as a query.",
          content: page,
        },
        ...rateLimitAnswer,
        ...otherPage,
      },
    },
  },
  "/connect/logout": {
    get: signOut(
      "signOut",
      "Shows a page that asks the user for a confirmation. Tokens that were issued before stay valid.",
    ),
    post: signOut("signOutByForm", "Ends the session. The page that asks for a confirmation sends this form.", {
      required: false,
      content: {
        "application/x-www-form-urlencoded": {
          schema: {
            type: "object",
            properties: { formToken: { type: "string", description: "The value in the page's form." } },
          },
        },
      },
    }),
  },
};

function signOut(operationId: string, description: string, requestBody?: object) {
  return {
    operationId,
    tags: ["authorization"],
    summary: requestBody ? "Confirm the end of the session of this browser" : "End the session of this browser",
    description,
    security: [],
    parameters: [
      ...["client_id", "id_token_hint", "state"].map((name) => query(name, {}, false)),
      {
        ...query("post_logout_redirect_uri", { description: "A registered address. Empty: none." }, false),
        example: "",
      },
    ],
    ...(requestBody && { requestBody }),
    responses: {
      "200": { description: "The page that asks for a confirmation, or that tells the end.", content: page },
      "303": redirect("Redirects to the address of the client, if the browser has no session any more."),
      "400": { description: "An error page: the address to return to is not registered.", content: page },
      ...(requestBody && {
        "403": {
          description: "An error page: the form does not come from the page that the platform has shown.",
          content: page,
        },
      }),
      ...rateLimitAnswer,
      ...otherPage,
    },
  };
}

function redirect(description: string) {
  const location = { required: true, description: "The address.", schema: { type: "string" } };
  return { description, headers: { location }, content: page };
}

function query(name: string, schema: Record<string, unknown> = {}, isRequired = true) {
  return { name, in: "query", required: isRequired, schema: { type: "string", ...schema } };
}
