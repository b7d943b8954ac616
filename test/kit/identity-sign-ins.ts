import { Browser } from "./browser.js";
import { aThirdPartyClient, authorizeUrl, redeem, returned, type SignInClient, signInAs } from "./code-flow.js";
import { aPerson, type Person } from "./people.js";
import { platform } from "./platform.js";
import type { Json } from "./request.js";
import type { TestTenant } from "./tenants.js";

const identityScope = "openid profile email offline_access";

/** Creates a client that only signs people in. Its maker holds `client.manage` and no other scope. */
export const anIdentityClient = async (tenant: TestTenant, input: Record<string, unknown> = {}) =>
  aThirdPartyClient(await tenant.tokenWith("client.manage"), { scopes: identityScope.split(" "), ...input });

/** Signs a person in at this address, allows what the application asks at first, and returns where the browser ends. */
export async function allowed(url: string, person: Person) {
  const browser = new Browser(platform().publicUrl);
  const page = await signInAs(browser, await browser.open(url), person);
  return page.text.includes("<h1>Allow access?</h1>") ? browser.submit(page, { action: "allow" }) : page;
}

/** The token endpoint's answer after a sign-in. `changes` replaces parameters in the authorization request. */
export async function tokensOf(
  client: SignInClient,
  person: Person,
  changes: Record<string, string | undefined>,
): Promise<Record<string, Json>> {
  const { code = "" } = returned(await allowed(authorizeUrl(client, changes), person));
  const { status, body } = await redeem(client, code);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body as unknown as Record<string, Json>;
}

/** A new person's access token that has identity scopes alone. */
export async function anIdentityToken(tenant: TestTenant): Promise<string> {
  const request = { scope: identityScope, prompt: "consent" };
  const tokens = await tokensOf(await anIdentityClient(tenant), await aPerson(tenant, "TenantOwner"), request);
  if (tokens["scope"] !== identityScope) throw new Error(`The token has the scope ${String(tokens["scope"])}`);
  return String(tokens["access_token"]);
}
