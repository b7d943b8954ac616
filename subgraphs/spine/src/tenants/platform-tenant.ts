import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";

export const platformTenantSlug = "platform";

/** Sees every row of the tables that are open to platform administrators. */
export const platformTenant: Tenant = { ...tenantWithId(platformTenantId), platform: true };
