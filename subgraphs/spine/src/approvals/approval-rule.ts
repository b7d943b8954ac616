import type { PrincipalType } from "@factory/runtime/auth/principal";
import type { Tenant } from "@factory/runtime/tenancy/tenant";
import { settingDefault } from "@factory/schema/tenant-settings";

/** Whether a principal of this type needs an approval for publishing scopes. */
export async function requiresPublishApproval(_tenant: Tenant, principalType: PrincipalType): Promise<boolean> {
  return settingDefault("governance.publish.requiresApproval").includes(principalType);
}
