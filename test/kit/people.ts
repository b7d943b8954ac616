import { request } from "./request.js";
import type { TestTenant } from "./tenants.js";
import { acceptInvitation, anAddress, goodPassword, invitationToken } from "./users.js";

export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

const mails = new Map<string, number>();

/** Creates a user who has accepted an invitation and can sign in. */
export async function aPerson(tenant: TestTenant, roleCode = "Developer", email = anAddress()): Promise<Person> {
  const token = await tenant.tokenWith();
  const count = (mails.get(email) ?? 0) + 1;
  mails.set(email, count);
  const body = { email, roleCodes: [roleCode] };
  const invitation = await request("POST /v1/users/invitations", { token, body });
  if (invitation.status !== 201) throw new Error(invitation.text);
  const acceptance = await acceptInvitation(await invitationToken(email, count));
  if (acceptance.status !== 201) throw new Error(acceptance.text);
  return { userId: acceptance.body.userId, email, password: goodPassword };
}
