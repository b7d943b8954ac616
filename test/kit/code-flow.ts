import { createHash, randomBytes } from "node:crypto";
import { Browser, type Visit } from "./browser.js";
import type { Person } from "./people.js";
import { platform } from "./platform.js";
import { graphql, request } from "./request.js";
import { platformToken } from "./tenants.js";

export interface SignInClient {
  readonly clientId: string;
  readonly clientSecret: string | null;
}

export const callback = "https://studio.example/callback";

type Members = Record<string, unknown>;

const signInInput = (input: Members) => ({
  name: "Studio",
  grantTypes: ["authorization_code", "refresh_token"],
  redirectUris: [callback],
  ...input,
});

/** Creates a client at which users sign in. The platform administrator creates it. */
export async function aSignInClient(tenantId: string, input: Members): Promise<SignInClient> {
  const { body } = await graphql(
    `mutation ($tenantId: ID!, $input: CreateApiClientInput!) {
      createTenantApiClient(tenantId: $tenantId, input: $input) { clientId clientSecret } }`,
    { token: await platformToken(), variables: { tenantId, input: signInInput(input) } },
  );
  if (!body.data) throw new Error(JSON.stringify(body.errors));
  return body.data["createTenantApiClient"] as unknown as SignInClient;
}

/** Creates a third-party client inside the tenant. The token's owner knows its secret. */
export async function aThirdPartyClient(token: string, input: Members): Promise<SignInClient> {
  const { body } = await graphql(
    "mutation ($input: CreateApiClientInput!) { createApiClient(input: $input) { clientId clientSecret } }",
    { token, variables: { input: signInInput(input) } },
  );
  if (!body.data) throw new Error(JSON.stringify(body.errors));
  return body.data["createApiClient"] as unknown as SignInClient;
}

const verifier = randomBytes(32).toString("base64url");
const challenge = createHash("sha256").update(verifier).digest("base64url");

export function authorizeUrl(client: SignInClient, changes: Record<string, string | undefined> = {}): string {
  const parameters = {
    client_id: client.clientId,
    response_type: "code",
    redirect_uri: callback,
    scope: "openid templates.read",
    state: "st&te",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...changes,
  };
  const pairs = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${platform().publicUrl}/connect/authorize?${new URLSearchParams(pairs).toString()}`;
}

export const signInAs = (browser: Browser, page: Visit, { email, password }: Pick<Person, "email" | "password">) =>
  browser.submit(page, { username: email, password, action: "sign-in" });

/** The parameters in the redirect to the client. */
export function returned({ url, text }: Visit, address = callback): Record<string, string> {
  if (!url.startsWith(`${address}?`)) throw new Error(`The browser is still at ${url}: ${text.slice(0, 2000)}`);
  return Object.fromEntries(new URL(url).searchParams);
}

/** The token endpoint's answer to a code. `changes` replaces request parameters. */
export async function redeem(client: SignInClient, code: string, changes: Record<string, string> = {}) {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: callback,
    code_verifier: verifier,
    client_id: client.clientId,
    ...(client.clientSecret === null ? {} : { client_secret: client.clientSecret }),
    ...changes,
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return request("POST /connect/token", { raw: body.toString(), headers });
}

/** The tokens for a person who signs in at the client in a new browser. */
export async function browserTokens(client: SignInClient, person: Pick<Person, "email" | "password">, scope: string) {
  const browser = new Browser(platform().publicUrl);
  const { code } = returned(await signInAs(browser, await browser.open(authorizeUrl(client, { scope })), person));
  const { body } = await redeem(client, String(code));
  return { access_token: String(body["access_token"]), refresh_token: String(body["refresh_token"]) };
}
