import type { PrincipalType } from "@factory/runtime/auth/principal";
import type { Tenant } from "@factory/runtime/tenancy/tenant";

/** Default of the tenant's `governance.publish.requiresApproval`. */
const byDefault: Record<PrincipalType, boolean> = { Agent: true, User: false, Service: false };

export async function requiresPublishApproval(_tenant: Tenant, principalType: PrincipalType): Promise<boolean> {
  return byDefault[principalType];
}
