import { aPerson, type Person } from "./people.js";
import { request } from "./request.js";
import { aPasswordClient, signedIn } from "./sign-ins.js";
import type { TestTenant } from "./tenants.js";

/** A person with a first-party client's token, and the id of the session that the token belongs to. */
interface SignedInPerson {
  readonly person: Person;
  readonly token: string;
  readonly sessionId: string;
}

/** A token for an owner who has just signed in with a password. */
export async function anOwnersToken(tenant: TestTenant): Promise<string> {
  const owner = await aPerson(tenant, "TenantOwner");
  return (await signedIn(await aPasswordClient(tenant.tenantId), owner)).access_token;
}

export async function aSignedInPerson(tenant: TestTenant): Promise<SignedInPerson> {
  const person = await aPerson(tenant);
  const { access_token: token } = await signedIn(await aPasswordClient(tenant.tenantId), person);
  const { body } = await request<{ items: { sessionId: string }[] }>("GET /v1/sessions", { token });
  const [session] = body.items;
  if (!session) throw new Error(`The person has no session: ${JSON.stringify(body)}`);
  return { person, token, sessionId: session.sessionId };
}
