import type { PrincipalType } from "@factory/runtime/auth/principal";
import type { Tenant } from "@factory/runtime/tenancy/tenant";

/** The default of the tenant setting `governance.publish.requiresApproval`, which does not exist yet. */
const byDefault: Record<PrincipalType, boolean> = { Agent: true, User: false, Service: false };

/** Whether a principal of this type needs an approval for publishing scopes. */
export async function requiresPublishApproval(_tenant: Tenant, principalType: PrincipalType): Promise<boolean> {
  return byDefault[principalType];
}
