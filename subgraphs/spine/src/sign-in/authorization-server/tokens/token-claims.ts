import type { TokenVersions } from "@factory/runtime/auth/token-versions";
import type { KoaContextWithOIDC } from "oidc-provider";
import type { PublishingDecision } from "../../../approvals/publish-approvals.js";
import { platformAdminRole } from "../../../rights/roles/system-roles.js";
import type { RegisteredClient } from "../client-authentication/registered-client.js";
import type { AssignedRoles } from "./client-roles.js";
import { servicePublishing } from "./resource-server.js";
import { type SignInFacts, signedInAccountOf } from "./signed-in-account.js";

/**
 * The platform's own claims in an access token, beside the RFC 9068 claims. `rolesOf` is called for service clients
 * only.
 */
export async function tenantClaims(
  context: KoaContextWithOIDC,
  client: RegisteredClient,
  facts: {
    grantId: string | undefined;
    passwordGrant: boolean;
    rolesOf: (client: RegisteredClient) => Promise<AssignedRoles>;
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
    versions: versionsOf(client, { subject: access.version, tenant: user.tenantVersion }),
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

/** Each version comes from the statement that has read its subject's facts. */
const versionsOf = (
  { clientId, versions }: RegisteredClient,
  others: Pick<TokenVersions, "subject" | "tenant">,
): TokenVersions => ({ ...others, clients: { [clientId]: versions.client } });

function clientClaims(client: RegisteredClient, assignedRoles: AssignedRoles) {
  const { tenantId, tenantSlug, editionCode, principalType, platformAdmin } = client;
  const roles = platformAdmin ? [platformAdminRole.code] : assignedRoles.roles;
  const versions = versionsOf(client, { subject: assignedRoles.version, tenant: client.versions.tenant });
  return { tenantId, tenantSlug, editionCode, principalType, roles, platformAdmin, versions };
}
