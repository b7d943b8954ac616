import { encodeId } from "@factory/runtime/identifiers/wire-id";
import { type Tenant, tenantWithId } from "@factory/runtime/tenancy/tenant";

/** The reserved tenant of the platform's own principals: the same id in every installation. */
export const platformTenantId = encodeId("ten", "00000000-0000-7000-8000-000000000001");
export const platformTenantSlug = "platform";

/** Sees every row of the tables that are open to platform administrators. */
export const platformTenant: Tenant = { ...tenantWithId(platformTenantId), platform: true };
