import { newId } from "@factory/runtime/identifiers/wire-id";
import { platformTenantId } from "@factory/runtime/tenancy/platform-tenant";
import type { Transaction } from "@factory/runtime/unit-of-work/database";
import { platformTenantSlug } from "./platform-tenant.js";
import { Tenant } from "./tenant.entity.js";
import { tenantFacts } from "./tenant.view.js";

type NewTenant = Pick<Tenant, "name" | "slug" | "editionCode" | "ownerEmail">;

/** A tenant in the state Provisioning, with a new id; records TenantRegistered. */
export function createTenant(transaction: Transaction, facts: NewTenant): Tenant {
  return persistTenant(transaction, { ...facts, tenantId: newId("ten"), status: "Provisioning" });
}

/** The platform's own tenant, which needs no provisioning; undefined when it exists already. */
export async function createPlatformTenant(transaction: Transaction): Promise<Tenant | undefined> {
  if (await transaction.em.findOne(Tenant, { tenantId: platformTenantId })) return undefined;
  const tenant = persistTenant(transaction, {
    ...{ tenantId: platformTenantId, name: "Platform", slug: platformTenantSlug },
    ...{ status: "Active", editionCode: "Enterprise", ownerEmail: null },
  });
  await transaction.em.flush();
  return tenant;
}

function persistTenant({ em, record }: Transaction, facts: NewTenant & Pick<Tenant, "tenantId" | "status">): Tenant {
  const { tenantId } = facts;
  const now = new Date();
  const tenant = em.create(Tenant, {
    ...facts,
    ...{ subscriptionId: null, systemRolesDigest: null, ownerInvitationId: null },
    ...{ provisionedSteps: [], limits: {}, createdAt: now, updatedAt: now, version: "1", changedAt: now },
  });
  em.persist(tenant);
  record({ type: "TenantRegistered", tenantId, subject: `tenants/${tenantId}`, data: tenantFacts(tenant) });
  return tenant;
}
