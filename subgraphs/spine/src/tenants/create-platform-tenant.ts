import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { platformTenantSlug } from "./platform-tenant.js";
import { Tenant } from "./tenant.entity.js";
import { tenantFacts } from "./tenant.view.js";

/** Makes the platform's own tenant, without roles; undefined if it exists. */
export async function createPlatformTenant({ em, record }: Transaction): Promise<Tenant | undefined> {
  if (await em.findOne(Tenant, { tenantId: platformTenantId })) return undefined;
  const now = new Date();
  const tenant = em.create(Tenant, {
    tenantId: platformTenantId,
    name: "Platform",
    slug: platformTenantSlug,
    status: "Active",
    editionCode: "Enterprise",
    ownerEmail: null,
    subscriptionId: null,
    systemRolesDigest: null,
    ownerInvitationId: null,
    provisionedSteps: [],
    createdAt: now,
    updatedAt: now,
  });
  em.persist(tenant);
  await em.flush();
  record({ type: "TenantRegistered", subject: `tenants/${platformTenantId}`, data: tenantFacts(tenant) });
  return tenant;
}
