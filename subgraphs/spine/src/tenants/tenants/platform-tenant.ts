import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";

export const platformTenantSlug = "platform";

/** The platform administrators' tenant. Row-level security shows it every row in tables made with `platformTable`. */
export const platformTenant: Tenant = { ...tenantWithId(platformTenantId), platform: true };
