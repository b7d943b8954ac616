import type { KoaContextWithOIDC } from "oidc-provider";
import type { PublishingDecision } from "../../approvals/publish-approvals.js";
import { platformAdminRole } from "../../roles/system-roles.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import { servicePublishing } from "./resource-server.js";
import { type SignInFacts, signedInAccountOf } from "./signed-in-account.js";

/** The platform's own claims of an access token, beside those of RFC 9068. `rolesOf` is called for service clients only. */
export async function tenantClaims(
  context: KoaContextWithOIDC,
  client: RegisteredClient,
  facts: {
    grantId: string | undefined;
    passwordGrant: boolean;
    rolesOf: (client: RegisteredClient) => Promise<readonly string[]>;
  },
) {
  const account = signedInAccountOf(context);
  if (!account)
    return { ...clientClaims(client, await facts.rolesOf(client)), ...publishClaims(servicePublishing(context)) };
  const { grantId, passwordGrant } = facts;
  const { user, access, signIn } = account;
  return {
    tenantId: user.tenant.tenantId,
    tenantSlug: user.tenantSlug,
    editionCode: user.editionCode,
    principalType: "User",
    roles: access.roles,
    platformAdmin: access.platformAdmin,
    ...publishClaims(access.publishing),
    ...(grantId === undefined ? {} : { grantId }),
    ...signInClaims(signIn),
    ...(client.firstParty ? { firstParty: true } : {}),
    ...(passwordGrant ? { passwordGrant } : {}),
  };
}

/** RFC 9470 section 6: resources read from the token how and when its user signed in. */
const signInClaims = ({ authTime, acr, amr }: SignInFacts) => ({
  ...(authTime === undefined ? {} : { auth_time: authTime }),
  ...(acr === undefined ? {} : { acr }),
  ...(amr === undefined ? {} : { amr }),
});

/** Why the token may publish, and which publishing scopes it lacks until an approval. */
const publishClaims = (publishing: PublishingDecision | undefined) =>
  publishing && {
    ...publishing.claims,
    ...(publishing.withheld.length > 0 ? { withheldScopes: publishing.withheld } : {}),
  };

function clientClaims(client: RegisteredClient, assigned: readonly string[]) {
  const { tenantId, tenantSlug, editionCode, principalType, platformAdmin } = client;
  const roles = platformAdmin ? [platformAdminRole.code] : assigned;
  return { tenantId, tenantSlug, editionCode, principalType, roles, platformAdmin };
}
