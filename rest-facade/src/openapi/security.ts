import { scopes } from "@factory/schema/scopes";

/** An OpenAPI security requirement, by the name of its scheme. */
type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** The ways to send a token, of which one is enough: an OAuth flow that asks for a scope, or a token as it is. */
export function securityOf(allowedScopes: readonly string[]): SecurityRequirement[] {
  const flows = allowedScopes.length === 0 ? [{ oauth2: [] }] : allowedScopes.map((scope) => ({ oauth2: [scope] }));
  return [...flows, { bearer: [] }];
}

const describeScope = (scope: string) => {
  const words = scope.split(".");
  return `${words.at(-1)} ${words.slice(0, -1).join(" ")}`;
};

const describedScopes = Object.fromEntries(scopes.map((scope) => [scope, describeScope(scope)]));

/** The security schemes. `base` is the platform's address, and ends with a slash. */
export const securitySchemes = (base: string) => ({
  oauth2: {
    type: "oauth2",
    flows: {
      clientCredentials: { tokenUrl: `${base}connect/token`, scopes: describedScopes },
      authorizationCode: {
        authorizationUrl: `${base}connect/authorize`,
        tokenUrl: `${base}connect/token`,
        refreshUrl: `${base}connect/token`,
        scopes: describedScopes,
      },
    },
  },
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "An access token from /connect/token. It needs the scope that the operation's oauth2 requirement names.",
  },
});
